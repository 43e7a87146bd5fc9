"""What a mount knows of names: who directs, and which names are one.

What was checked once is remembered for the rest of the source: the swift reader takes it as it stands.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.dialects.swarm.grammar import ALIASES, DIRECTOR
from palaver.model.dialect import Mount
from palaver.model.errors import BadName
from palaver.model.names import EVERYONE, address

#: A source with more names than this is read the careful way.
_REMEMBERED = 4_096


class Desk:
    """The names of one mount, while one source is read."""

    __slots__ = ("director", "routes", "senders")

    def __init__(self, mount: Mount) -> None:
        """Take the settings of the mount."""
        self.director = director(mount)
        #: `from`, as written → the agent.
        self.senders: dict[str, str] = {}
        #: `to`, as written → the agents.
        self.routes: dict[tuple[str, ...] | None, list[str]] = {None: [EVERYONE]}

    def sender(self, text: str) -> str:
        """Return the agent of a `from`, or refuse the name."""
        found = known(text.removeprefix("@"))
        if text[:1] != "@" and len(self.senders) < _REMEMBERED:
            self.senders[text] = found
        return found

    def recipients(self, handles: list[str]) -> list[str]:
        """Return the agents of handles, each once, `@all` among them if they name it; or refuse a name."""
        bare = [each.removeprefix("@") for each in handles]
        found = list(dict.fromkeys(EVERYONE if each.lower() == "all" else known(each) for each in bare))
        if all(each[:1] == "@" for each in handles) and len(self.routes) < _REMEMBERED:
            self.routes[tuple(handles)] = found
        return found.copy()


def director(mount: Mount) -> str:
    """Return who leads the team."""
    return mount.settings.get("director", "").removeprefix("@").lower() or DIRECTOR


def known(text: str) -> str:
    """Return the agent that a bare name means, or refuse it."""
    found = address(text)
    if found[:1] == "@":
        raise BadName(f"cannot use the name {text[:80]!a}", "no agent is called so", "write one agent's name")
    return alias(found)


def alias(found: str) -> str:
    """Return the handle of the table for a title that is used as one."""
    return ALIASES.get(found, found)
