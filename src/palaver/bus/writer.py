"""The desk: what it takes to write. The place of the bus, its log, and who is known there.

Nothing of the view, because a command that only sends must not pay for what only readers need.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os

from palaver.bus.change_counter import ChangeCounter
from palaver.bus.root import Root
from palaver.bus.roster_cache import RosterCache, digest
from palaver.bus.wakeups import Wakeups
from palaver.log.clock import new_id, now
from palaver.log.factory import open_log
from palaver.log.lock import Lock
from palaver.model.errors import WhoSpeaks
from palaver.model.event import Draft
from palaver.model.limits import CONFIG_BYTES
from palaver.model.names import BUS, name


class Writer:
    """One bus, seen by one process that writes."""

    __slots__ = (
        "_felt",
        "_known",
        "agent",
        "change_counter",
        "log",
        "root",
        "view_lock",
        "vouched",
        "wakeups",
    )

    def __init__(self, root: Root, agent: str = "") -> None:
        """Take the place of the bus and the agent that speaks if none is named."""
        self.root = root
        self.agent = name(agent) if agent else ""
        self.log = open_log(root.log, lock=root.log_lock)
        self.view_lock = Lock(root.view_lock)
        self.change_counter = ChangeCounter(root.pulse)
        self.wakeups = Wakeups(root.bells, self.change_counter)
        # Whose word is known to be his, because he has shown a key to this process.
        self.vouched = ""
        self._known: RosterCache | None = None
        self._felt = (-1, -1)

    def roster_cache(self) -> RosterCache:
        """Return who can be addressed, read again when the roster has changed."""
        felt = (self.change_counter.felt(), self._saved())
        known = self._known
        if known is None or felt != self._felt:
            known = RosterCache(self.root.roster)
            if known.config != self.config_digest():
                # Somebody edited the config: the view must hear of it before anything is looked up.
                known.forget()
            self._known = known
            self._felt = felt
        return known

    def _saved(self) -> int:
        """Return a number that changes when somebody saves the config."""
        try:
            return os.stat(self.root.config).st_mtime_ns
        except OSError:
            return 0

    def config_digest(self) -> str:
        """Return what stands for the config as it is on the disk now."""
        try:
            # Whatever lies there instead of a file must not make us wait.
            fd = os.open(self.root.config, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return ""
        try:
            return digest(os.read(fd, CONFIG_BYTES + 1))
        except OSError:
            return ""
        finally:
            os.close(fd)

    def proof(self, agent: str) -> str:
        """Return how it is known that an agent speaks."""
        return "token" if agent and agent == self.vouched else "claimed"

    def speaker(self, given: str = "") -> str:
        """Return who is speaking: the one named, else this bus's own agent."""
        if given:
            return name(given)
        if self.agent:
            return self.agent
        raise WhoSpeaks(
            "cannot tell who is speaking", "no agent was named", "use --as NAME, or set PALAVER_AGENT"
        )


def draft(
    event_type: str,
    actor: str,
    data: dict[str, object],
    *,
    auth: str = "claimed",
    key: str = "",
    correlation_id: str = "",
    caused_by: str = "",
) -> Draft:
    """Return a draft with a new id, of now."""
    return Draft(
        event_type,
        actor=actor,
        data=data,
        event_id=new_id("evt"),
        timestamp=now(),
        auth="token" if actor == BUS else auth,
        key=key,
        correlation_id=correlation_id,
        caused_by=caused_by,
    )
