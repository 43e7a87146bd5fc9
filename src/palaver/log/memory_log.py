"""The log in memory: the same laws, no disk. For tests, simulations and short-lived tools.

The place of an event is the number of lines before it. Lines are never torn, and no sync can fail.
"""

import threading
import time
from collections.abc import Callable, Iterator

from palaver.log.port import Chunk, Damage, EventBatch, Log, LogReplaced
from palaver.log.record import GENESIS, body, decode, hashed, line
from palaver.model.event import Draft, Event
from palaver.model.limits import WAIT_POLL_SECONDS

_NAME = "log in memory"


class _Lines:
    """What all objects of one log share."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []
        self.changed = threading.Condition()
        #: By number: what a line is being overwritten with.
        self.redactions: dict[int, bytes] = {}
        #: The newest line of each key, so that a key costs the same however long the log is.
        self.keys: dict[tuple[str, str], int] = {}


class MemoryLog(Log):
    """A log that lives as long as its objects."""

    def __init__(
        self, vouched: str = "", inside: dict[str, object] | None = None, lines: _Lines | None = None
    ) -> None:
        """Start empty, or share the lines of another object."""
        super().__init__(vouched, inside)
        self._lines = lines or _Lines()

    def vouch_for(self, agent: str, inside: dict[str, object] | None = None) -> "MemoryLog":
        """Return the same log for a process to which this agent has proved its identity, inside a run."""
        return MemoryLog(agent, inside, self._lines)

    def append(
        self, drafts: list[Draft], *, since: int = 0, check_new: Callable[[], None] | None = None
    ) -> list[Event]:
        """Store the drafts, in order; a key that exists after `since` is answered, not stored."""
        drafts = self.signed(drafts)
        bodies = [body(draft) for draft in drafts]
        with self._lines.changed:
            if check_new:
                check_new()
            stored = [
                self._known(draft, since) or self._put(draft, encoded)
                for draft, encoded in zip(drafts, bodies, strict=True)
            ]
            self._lines.changed.notify_all()
        return stored

    def sync(self) -> None:
        """Do nothing: memory is as durable as it will ever be."""

    def finish_record(self) -> None:
        """Do nothing: a record is whole, or is not there."""

    def last_seq(self) -> int:
        """Return the number of the last line."""
        return len(self._lines.raw)

    def read(self, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events with a number greater than `after`, in order."""
        start = max(after, 0)
        found = (decode(raw) for raw in self._lines.raw[start : start + max(limit, 0)])
        return [event for event in found if event is not None]

    def batches(self, after: str = "", head: str = "") -> Iterator[EventBatch]:
        """Yield everything that follows a place."""
        if after and not (after.isdecimal() and int(after) <= len(self._lines.raw)):
            raise LogReplaced
        start = int(after or 0)
        events: list[Event] = []
        damage: list[Damage] = []
        last = b""
        for place, raw in enumerate(self._lines.raw[start:], start):
            event = decode(raw, str(place))
            if event is None:
                damage.append(Damage(_NAME, place, len(raw), place=str(place)))
            else:
                events.append(event)
                last = raw
        if head and events and events[0].prev != head:
            raise LogReplaced
        if events or damage:
            end = str(start + len(events) + len(damage))
            yield EventBatch(events, damage=damage, end=end, head=hashed(last) if last else "")

    def end(self) -> str:
        """Return the place behind the last line."""
        return str(len(self._lines.raw) or "")

    def lines_at(self, places: list[str]) -> list[bytes]:
        """Return the bytes of the line at each place; nothing where there is none."""
        lines = self._lines.raw
        return [lines[int(each)] if each.isdecimal() and int(each) < len(lines) else b"" for each in places]

    def wait_until(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Return True as soon as `ready()` is true, False after the timeout; check when the log grows."""
        deadline = time.monotonic() + timeout
        while True:
            seen = len(self._lines.raw)
            if ready():
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._lines.changed:
                self._lines.changed.wait_for(
                    lambda: len(self._lines.raw) != seen,  # noqa: B023 - called before `seen` changes
                    min(left, WAIT_POLL_SECONDS),
                )

    def chunk_starts(self) -> list[int]:
        """Return the number of the first line, if there is one: all lines are stored together."""
        return [1] if self._lines.raw else []

    def chunk(self, start: int) -> Chunk:
        """Return all lines."""
        assert start == 1, "memory has one chunk"
        return Chunk(1, _NAME, b"".join(raw + b"\n" for raw in self._lines.raw))

    def size(self) -> int:
        """Return how many bytes the log has, a newline for each line."""
        return sum(len(raw) + 1 for raw in self._lines.raw)

    def line(self, seq: int) -> bytes:
        """Return the line with this number; nothing if there is none."""
        return self._lines.raw[seq - 1] if 0 < seq <= len(self._lines.raw) else b""

    def redact(self, seq: int, raw: bytes, announce: Callable[[], None]) -> None:
        """Overwrite a line, after `announce` has been called."""
        self._lines.redactions[seq] = raw
        announce()
        self._lines.raw[seq - 1] = raw

    def unfinished_redaction(self, seq: int) -> bytes:
        """Return what a line is being overwritten with."""
        return self._lines.redactions.get(seq, b"")

    def finish_redaction(self, seq: int) -> None:
        """Forget that a line was being redacted."""
        self._lines.redactions.pop(seq, None)

    def _known(self, draft: Draft, since: int) -> Event | None:
        place = self._lines.keys.get((draft.actor, draft.key), -1) if draft.key else -1
        return decode(self._lines.raw[place]) if place >= since else None

    def _put(self, draft: Draft, encoded: bytes) -> Event:
        raws = self._lines.raw
        raw = line(len(raws) + 1, encoded, hashed(raws[-1]) if raws else GENESIS)
        raws.append(raw)
        if draft.key:
            self._lines.keys[draft.actor, draft.key] = len(raws) - 1
        event = decode(raw)
        assert event is not None, "a line that we just made must be readable"
        return event
