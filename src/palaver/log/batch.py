"""What a reader gets from the log: batches of events, chunks of raw lines, and damage.

Views read batches: they ask for what follows the place that they have reached, and compare `prev` with the
hash that they remember. If it differs, the log is not the one that they were built from.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Iterator

from palaver.log.record import decode, hashed, is_up_to
from palaver.log.segments import file_name
from palaver.model.event import Event, number, text


class Damage:
    """Bytes of the log that are not an event, or that may be lost."""

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
    file = f"log/{file_name(segment)}"
    return Damage(file, offset, length, place=f"{segment}:{offset}:{length}", sha=sha)


def damage_of(event: Event) -> Damage:
    """Return the damage that `log.sealed` or `log.sync_failed` reports."""
    data = event.data
    return damage_in(number(data, "segment"), number(data, "off"), number(data, "len"), text(data, "sha"))


class EventBatch:
    """Consecutive events, each with its place."""

    __slots__ = ("damage", "end", "events", "head")

    def __init__(self, events: list[Event], *, damage: list[Damage], end: str, last: bytes) -> None:
        """Take the events, the corrupted lines among them, the place after them, and the last intact line."""
        self.events = events
        self.damage = damage
        self.end = end
        #: The hash of the last event, which the next one names in its `prev`.
        self.head = hashed(last) if last else ""

    def follows(self, head: str) -> bool:
        """Return False if the event before this batch is not the one with this hash."""
        return not head or not self.events or self.events[0].prev == head

    @property
    def last_seq(self) -> int:
        """Return the number of the last event, 0 if no line can be read."""
        return self.events[-1].seq if self.events else 0


class Chunk:
    """Raw lines that are stored together; behind the last newline there may be an unfinished one."""

    __slots__ = ("content", "name", "problem", "start")

    def __init__(self, start: int, name: str, content: bytes, problem: str = "") -> None:
        """Take the number of the first line, a name for people, the bytes, and why there are none."""
        self.start = start
        self.name = name
        self.content = content
        self.problem = problem

    def newest_first(self, containing: list[str], before: int = 0) -> Iterator[Event]:
        """Yield the events whose record contains all of these texts, newest first; decode no others."""
        pieces = [each.encode("utf-8", "replace") for each in containing]
        for raw in reversed(self.content.split(b"\n")[:-1]):
            if before and not is_up_to(raw, before - 1):
                continue
            if all(piece in raw for piece in pieces):
                event = decode(raw)
                if event is not None:
                    yield event
