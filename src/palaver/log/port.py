"""The port of the log: what every backend can do, whatever it keeps the events in.

The laws are in tests/laws/log.py; a backend is a subclass that obeys them. A *place* is a token that a
backend gives out and only that backend understands: the place of an event, or that of a reader.
The empty place is the beginning. Nothing outside this folder knows more about where events are kept.

Every method raises `StorageFailed` where the disk fails.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable, Iterator

from palaver.log.record import decode, is_up_to
from palaver.log.segments import file_name
from palaver.model.event import Draft, Event, number, text


class LogReplaced(Exception):
    """Raised when the log before the place of a reader is not what it was."""


class Damage:
    """Bytes of the log that are not an event, or that may be lost."""

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
    """Consecutive events, each with its place, and the corrupted lines among them."""

    def __init__(self, events: list[Event], *, damage: list[Damage], end: str, head: str) -> None:
        """Take the events, the damage, the place to go on from, and the hash of the last event.

        The next event names that hash in its `prev`; it is empty if no line could be read.
        """
        self.events = events
        self.damage = damage
        self.end = end
        self.head = head


class Chunk:
    """Raw lines that are stored together; behind the last newline there may be an unfinished one."""

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


class Log:
    """Events in the order that decides, and no way to change them except to redact one."""

    def __init__(self, vouched: str = "", inside: dict[str, object] | None = None) -> None:
        """Take the agent whose identity is proved to this process, and the run that the process is inside.

        The events of that agent get `auth: token`; every event names the run.
        """
        self.vouched = vouched
        self.inside = inside

    def signed(self, drafts: list[Draft]) -> list[Draft]:
        """Return drafts with what is known about this process."""
        if not self.vouched and self.inside is None:
            return drafts
        return [draft.signed(self.vouched, self.inside) for draft in drafts]

    # --- to be implemented by a backend ---

    def vouch_for(self, agent: str, inside: dict[str, object] | None = None) -> "Log":
        """Return the same log for a process to which this agent has proved its identity, inside a run."""
        raise NotImplementedError

    def append(
        self, drafts: list[Draft], *, since: int = 0, check_new: Callable[[], None] | None = None
    ) -> list[Event]:
        """Store the drafts, in order, and return them as events once they are durable.

        A draft whose (actor, key) is in the log after `since` is not stored again: the existing event is
        returned in its place, and is durable too. Not atomic: after a crash any prefix may be stored.

        `check_new` is called while nobody else can write, and raises unless every key is new: then there is
        nothing to search for.
        """
        raise NotImplementedError

    def sync(self) -> None:
        """Make everything that can be read durable, before it has any effect elsewhere."""
        raise NotImplementedError

    def finish_record(self) -> None:
        """Let readers see a whole record that a writer left without the end of its line when it died.

        Its key counts in any case. Who knows what is new by a place and not by a key must call this first.
        """
        raise NotImplementedError

    def last_seq(self) -> int:
        """Return the number of the last line, 0 if there is none."""
        raise NotImplementedError

    def read(self, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events with a number greater than `after`, in order."""
        raise NotImplementedError

    def event(self, seq: int) -> Event | None:
        """Return the event with a number; None if there is none, or its line is corrupted."""
        found = self.read(seq - 1, 1) if seq > 0 else []
        return found[0] if found and found[0].seq == seq else None

    def batches(self, after: str = "", head: str = "") -> Iterator[EventBatch]:
        """Yield everything that follows a place; the end of a batch is the place to go on from.

        Raise `LogReplaced` if this log did not give out the place, is shorter by now, or if the event before
        the place is not the one with the hash `head`.
        """
        raise NotImplementedError

    def end(self) -> str:
        """Return the place after the last byte: when it changes, the log has grown."""
        raise NotImplementedError

    def lines_at(self, places: list[str]) -> list[bytes]:
        """Return the bytes of the line at each place, readable or not; nothing where there are none."""
        raise NotImplementedError

    def wait_until(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Return True as soon as `ready()` is true, False after the timeout; check when the log grows."""
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

    def events_at(self, places: list[str]) -> list[Event | None]:
        """Return the event at each place, None where it cannot be read."""
        return list(map(decode, self.lines_at(places), places))

    def wait(self, after: int, timeout: float) -> bool:
        """Wait for an event with a number greater than `after`; return False after the timeout."""
        return self.wait_until(lambda: bool(self.read(after, 1)), timeout)

    def newest_first(self, *containing: str) -> Iterator[Event]:
        """Yield the events whose record contains all of these texts, newest first."""
        for start in reversed(self.chunk_starts()):
            yield from self.chunk(start).newest_first([*containing])
