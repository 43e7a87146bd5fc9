"""The port of the log: what every backend can do, whatever it keeps the events in.

The laws are in tests/laws/log.py; a backend is a subclass that obeys them. A *place* is a token that a
backend gives out and only that backend understands: the place of an event, or that of a reader.
The empty place is the beginning. Nothing outside this folder knows more about where events are kept.

Every method raises `StorageFailed` where the disk fails.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable, Iterator

from palaver.log.batch import Chunk, EventBatch
from palaver.model.event import Draft, Event


class Log:
    """Events in the order that decides, and no way to change them except to redact one."""

    __slots__ = ("vouched",)

    def __init__(self, vouched: str = "") -> None:
        """Take the agent whose identity is proved to this process, if any; its events get `auth: token`."""
        self.vouched = vouched

    # --- to be implemented by a backend ---

    def vouch_for(self, agent: str) -> "Log":
        """Return the same log for a process to which this agent has proved its identity."""
        raise NotImplementedError

    def append(self, drafts: list[Draft], *, since: int = 0) -> list[Event]:
        """Store the drafts, in order, and return them as events once they are durable.

        A draft whose (actor, key) is in the log after `since` is not stored again: the existing event is
        returned in its place, and is durable too. Not atomic: after a crash any prefix may be stored.
        """
        raise NotImplementedError

    def sync(self) -> None:
        """Make everything that can be read durable, before it has any effect elsewhere."""
        raise NotImplementedError

    def last_seq(self) -> int:
        """Return the number of the last line, 0 if there is none."""
        raise NotImplementedError

    def read(self, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events with a number greater than `after`, in order."""
        raise NotImplementedError

    def batches(self, after: str = "") -> Iterator[EventBatch]:
        """Yield everything that follows a place; the end of a batch is the place to go on from."""
        raise NotImplementedError

    def end(self) -> str:
        """Return the place after the last byte: when it changes, the log has grown."""
        raise NotImplementedError

    def reaches(self, place: str) -> bool:
        """Return True if the log is at least as long as it was when it gave out this place."""
        raise NotImplementedError

    def raw(self, place: str) -> bytes:
        """Return the bytes of one line, readable or not; nothing if there are none."""
        raise NotImplementedError

    def at(self, place: str) -> Event | None:
        """Return the event at a place, None if it cannot be read there."""
        raise NotImplementedError

    def wait_until(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Return True as soon as `ready()` is true, False after the timeout; check when the log grows."""
        raise NotImplementedError

    def is_unsafe(self, seq: int) -> bool:
        """Return True if a sync failed where this event is stored, so that it may be lost."""
        raise NotImplementedError

    def chunk_starts(self) -> list[int]:
        """Return the number of the first line of each chunk, in order."""
        raise NotImplementedError

    def chunk(self, start: int) -> Chunk:
        """Return the raw lines that are stored together."""
        raise NotImplementedError

    def size(self) -> int:
        """Return the size of the log in bytes."""
        raise NotImplementedError

    def line(self, seq: int) -> bytes:
        """Return the line with this number, corrupted or not; nothing if there is none."""
        raise NotImplementedError

    def redact(self, seq: int, raw: bytes, announce: Callable[[], None]) -> None:
        """Overwrite a line with one of equal length, after `announce` has been called.

        After a crash in between, `unfinished_redaction` returns the line, and calling this again finishes.
        """
        raise NotImplementedError

    def unfinished_redaction(self, seq: int) -> bytes:
        """Return what a line is being overwritten with, nothing if no redaction of it is under way."""
        raise NotImplementedError

    def finish_redaction(self, seq: int) -> None:
        """Forget that a line was being redacted: nothing outside the log holds its text any more."""
        raise NotImplementedError

    # --- the same for every backend ---

    def wait(self, after: int, timeout: float) -> bool:
        """Wait for an event with a number greater than `after`; return False after the timeout."""
        return self.wait_until(lambda: bool(self.read(after, 1)), timeout)

    def newest_first(self, containing: str = "") -> Iterator[Event]:
        """Yield the events whose record contains a text, newest first."""
        for start in reversed(self.chunk_starts()):
            yield from self.chunk(start).newest_first([containing])

    def _proved(self, drafts: list[Draft]) -> list[Draft]:
        """Return the drafts as this process may append them."""
        if not self.vouched:
            return drafts
        return [draft.proved() if draft.actor == self.vouched else draft for draft in drafts]
