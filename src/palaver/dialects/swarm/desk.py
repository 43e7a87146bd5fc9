"""What a mount knows of names: who directs, which names are one, which are written short.

Names that were checked once are remembered for the rest of the file: `senders` and `handles` hold what the
swift reader may take as it stands.
"""

from typing import Final

from palaver.dialects.swarm.grammar import ALIASES, DIRECTOR, HANDLES
from palaver.model.dialect import Mount
from palaver.model.errors import BadName
from palaver.model.names import EVERYONE, address

#: A file with more names than this is read the careful way.
_REMEMBERED: Final = 4_096


class Desk:
    """The names of one mount, while one source is read."""

    __slots__ = ("director", "handles", "senders")

    def __init__(self, mount: Mount) -> None:
        """Take the settings of the mount."""
        self.director = director(mount)
        #: As written → the agent. Only what is written as the protocol writes it.
        self.senders: dict[str, str] = {each: each for each in HANDLES}
        self.handles: dict[str, str] = {f"@{each}": each for each in HANDLES} | {EVERYONE: EVERYONE}

    def sender(self, text: str) -> str:
        """Return the agent of a `from`, or refuse the name."""
        found = known(text.removeprefix("@"))
        if text[:1] != "@" and len(self.senders) < _REMEMBERED:
            self.senders[text] = found
        return found

    def recipient(self, text: str) -> str:
        """Return the agent of a handle, or `@all`, or refuse the name."""
        bare = text.removeprefix("@")
        found = EVERYONE if bare.lower() == "all" else known(bare)
        if text[:1] == "@" and len(self.handles) < _REMEMBERED:
            self.handles[text] = found
        return found


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
