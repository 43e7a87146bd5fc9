"""A log, whatever it is kept in: what every backend can do.

The laws behind these words are in tests/laws/log.py; a backend is one that obeys them. The one-shot commands
do not come here: they name the file log itself (see docs/adr/0006).
"""

from collections.abc import Iterator
from typing import Protocol

from palaver.model.event import Draft, Event
from palaver.model.stretch import Stretch


class Log(Protocol):
    """Events in the order that counts, and no way to change them."""

    def append(self, drafts: list[Draft], *, since: int = 0) -> list[Event]:
        """Store the drafts, in order, and return them as events once they are safe.

        A draft whose (actor, key) stands in the log after `since` is not stored again: the event
        that stands is returned in its place, and is safe too. Not atomic: any prefix may stand.
        """
        ...

    def append_one(self, draft: Draft) -> int:
        """Store one draft that has no key; return its number once it is safe."""
        ...

    def append_plain(self, drafts: list[Draft]) -> list[int]:
        """Store drafts that have no key; return their numbers once they are safe."""
        ...

    def sync(self) -> None:
        """Make sure that all that can be read is also safe: before it has any effect elsewhere."""
        ...

    def last_seq(self) -> int:
        """Return the number of the last line, 0 if there is none."""
        ...

    def read(self, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events with a number greater than `after`, in order."""
        ...

    def stretches(self, segment: int, offset: int) -> Iterator[Stretch]:
        """Yield all that follows a place; (0, 0) is the beginning, the end of a stretch is the next place."""
        ...

    def end(self) -> tuple[int, int]:
        """Return the place behind the last byte: when it moves, there is news."""
        ...

    def at(self, segment: int, offset: int, length: int) -> Event | None:
        """Return the event at a place that a stretch has named, None if nothing readable stands there."""
        ...

    def wait(self, after: int, timeout: float) -> bool:
        """Sleep until there is an event with a number greater than `after`; tell whether there is."""
        ...

    def unsafe(self, seq: int) -> bool:
        """Tell whether a sync failed where this event stands, so that it may be gone tomorrow."""
        ...
