"""The log in memory: the same laws, no disk. For tests, simulations and short-lived tools."""

import threading
from collections.abc import Iterator

from palaver.log.record import GENESIS, body, decode, hashed, line
from palaver.log.stretch import stretch
from palaver.model.event import Draft, Event
from palaver.model.stretch import Stretch


class MemoryLog:
    """A log that lives as long as its object."""

    def __init__(self) -> None:
        """Start empty."""
        self._lines: list[bytes] = []
        self._changed = threading.Condition()

    def append(self, drafts: list[Draft], *, since: int = 0) -> list[Event]:
        """Store the drafts, in order; a key that stands after `since` is answered, not stored."""
        bodies = [body(draft) for draft in drafts]
        stored: list[Event] = []
        with self._changed:
            for draft, encoded in zip(drafts, bodies, strict=True):
                event = self._known(draft, since) if draft.key else None
                stored.append(event or self._put(encoded))
            self._changed.notify_all()
        return stored

    def append_one(self, draft: Draft) -> int:
        """Store one draft that has no key; return its number."""
        return self.append_plain([draft])[0]

    def append_plain(self, drafts: list[Draft]) -> list[int]:
        """Store drafts that have no key; return their numbers."""
        return [event.seq for event in self.append(drafts)]

    def sync(self) -> None:
        """Do nothing: memory is as safe as it will ever be."""

    def last_seq(self) -> int:
        """Return the number of the last line."""
        return len(self._lines)

    def read(self, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events with a number greater than `after`, in order."""
        found = (decode(raw) for raw in self._lines[after : after + limit])
        return [event for event in found if event is not None]

    def stretches(self, segment: int, offset: int) -> Iterator[Stretch]:
        """Yield all that follows a place; here the offset counts lines."""
        assert not segment, "memory has no segments"
        fresh = self._lines[offset:]
        if fresh:
            found = stretch(0, 0, b"".join(raw + b"\n" for raw in fresh))
            rows = [(offset + place, 1, event) for place, (_, _, event) in enumerate(found.rows)]
            end = offset + len(fresh)
            yield Stretch(0, start=offset, end=end, rows=rows, damaged=[], head=found.head)

    def end(self) -> tuple[int, int]:
        """Return the place behind the last line."""
        return (0, len(self._lines))

    def at(self, segment: int, offset: int, length: int) -> Event | None:
        """Return the event at a place that a view remembers, None if there is none."""
        assert (segment, length) == (0, 1), "memory has no segments"
        return decode(self._lines[offset]) if offset < len(self._lines) else None

    def wait(self, after: int, timeout: float) -> bool:
        """Sleep until there is an event with a number greater than `after`; tell whether there is."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._lines) > after, timeout)

    def unsafe(self, seq: int) -> bool:
        """Tell that no sync has failed."""
        assert seq >= 0
        return False

    def _known(self, draft: Draft, since: int) -> Event | None:
        for raw in reversed(self._lines[since:]):
            event = decode(raw)
            if event is not None and (event.actor, event.key) == (draft.actor, draft.key):
                return event
        return None

    def _put(self, encoded: bytes) -> Event:
        prev = hashed(self._lines[-1]) if self._lines else GENESIS
        raw = line(len(self._lines) + 1, encoded, prev)
        self._lines.append(raw)
        event = decode(raw)
        assert event is not None, "a line that we just made must be readable"
        return event
