"""Damage of the log: lines that cannot be read, and where events say that something went wrong.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.log.segments import file_name
from palaver.model.event import Event, number, text


class Damage:
    """Bytes of the log that are not an event, or may be lost."""

    __slots__ = ("file", "length", "offset", "place", "sha")

    def __init__(self, file: str, offset: int, length: int, *, place: str, sha: str = "") -> None:
        """Take the position for people, the place for `Log.raw`, and the hash where an event names it."""
        self.file = file
        self.offset = offset
        self.length = length
        self.place = place
        self.sha = sha

    @property
    def id(self) -> str:
        """Return a name for a corrupted line."""
        return f"{self.file}:{self.offset}"


def damage_in(segment: int, offset: int, length: int, sha: str = "") -> Damage:
    """Return the damage at a position of a segment."""
    return Damage(f"log/{file_name(segment)}", offset, length, place=f"{segment}:{offset}:{length}", sha=sha)


def damage_of(event: Event) -> Damage:
    """Return the damage that `log.sealed` or `log.sync_failed` tells of."""
    data = event.data
    return damage_in(number(data, "segment"), number(data, "off"), number(data, "len"), text(data, "sha"))
