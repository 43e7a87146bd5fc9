"""A writer: the paths of a bus, its log, and its roster file: what it takes to send.

It knows nothing of the view, because a command that only sends must not pay for what only readers need.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _blake2 import blake2b

from palaver.bus.root import Root
from palaver.bus.roster_cache import RosterCache
from palaver.bus.wakeups import ChangeCounter, Wakeups
from palaver.log.clock import new_id, now
from palaver.log.factory import open_log
from palaver.log.lock import Lock
from palaver.model.errors import WhoSpeaks
from palaver.model.event import Draft
from palaver.model.limits import CONFIG_BYTES
from palaver.model.names import BUS, name


def digest(config: bytes) -> str:
    """Return the digest of a config."""
    return blake2b(config, digest_size=8).hexdigest()


class Writer:
    """One bus, seen by one process that writes."""

    def __init__(self, root: Root, agent: str = "") -> None:
        """Take the paths of the bus, and the agent that speaks if none is named."""
        self.root = root
        self.agent = name(agent) if agent else ""
        self.log = open_log(root.log, lock=root.log_lock)
        self.view_lock = Lock(root.view_lock)
        self.change_counter = ChangeCounter(root.pulse)
        self.wakeups = Wakeups(root.bells, self.change_counter)
        # The agent that has proved its identity to this process, and the run that the process is inside.
        self.vouched = ""
        self.inside: dict[str, object] | None = None
        # A key that was made just now, for this command: no event has it.
        self.fresh_key = ""
        # The key of the request that is being answered, and the digest of that request.
        self.request = ("", "")
        # With the value of the change counter and the time of the config when it was read. One value, because
        # threads share it: no thread may take the cache of another for as new as its own.
        self._roster_cache: tuple[int, int, RosterCache] | None = None

    def roster_cache(self) -> RosterCache:
        """Return the addresses that mean an agent, read again when the roster or the config has changed."""
        try:
            saved = os.stat(self.root.config).st_mtime_ns
        except OSError:
            saved = 0
        changes, cached = self.change_counter.value(), self._roster_cache
        if cached is not None and cached[:2] == (changes, saved):
            return cached[2]
        fresh = RosterCache(self.root.roster)
        if fresh.config != self.config_digest():
            # The config was edited: the view must apply that before anything is looked up.
            fresh.forget()
        self._roster_cache = (changes, saved, fresh)
        return fresh

    def config_digest(self) -> str:
        """Return the digest of the config as it is on the disk now."""
        try:
            # A FIFO in its place must not make us wait.
            fd = os.open(self.root.config, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return ""
        try:
            return digest(os.read(fd, CONFIG_BYTES + 1))
        except OSError:
            return ""
        finally:
            os.close(fd)

    def sign(self, vouched: str, inside: dict[str, object] | None) -> None:
        """Let every event name the run that this process is inside, and prove one agent, if any."""
        self.vouched, self.inside = vouched, inside
        self.log = self.log.vouch_for(vouched, inside)

    @property
    def is_signed(self) -> bool:
        """Return True if what this process writes names a run, or proves an agent."""
        return self.vouched != "" or self.inside is not None

    def proof(self, agent: str) -> str:
        """Return how the identity of an agent is known."""
        return "token" if agent and agent == self.vouched else "claimed"

    def speaker(self, given: str = "") -> str:
        """Return the agent that speaks: the one named, else that of this process."""
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
    at: str = "",
) -> Draft:
    """Return a draft with a new id and the time, which is now unless another is given."""
    return Draft(
        event_type,
        actor=actor,
        data=data,
        event_id=new_id("evt"),
        timestamp=at or now(),
        auth="token" if actor == BUS else auth,
        key=key,
        correlation_id=correlation_id,
        caused_by=caused_by,
    )
