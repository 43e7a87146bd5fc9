"""Verification: is the log what was written? Every line, every link, every number.

A corrupted line, a record whose `prev` does not match, a number that is missing or occurs twice: each is a
fault, with its place. A torn tail that was sealed is excused by the event that names it, a redacted line by
the event that announced it, a number that was lost with a failed sync by the event that says so. Nothing
else is.

A log that has lost its end, or was rewritten as a whole, is consistent in itself: `log/anchor.py` finds that.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from palaver.log.anchor import ACCEPTED, Loss
from palaver.log.port import Chunk, Log
from palaver.log.record import GENESIS, decode, hashed, intact, is_torn
from palaver.log.redaction import is_redacted
from palaver.log.segments import SEALED
from palaver.model.event import Event, number, text


class Fault(NamedTuple):
    """Something that is not as it was written."""

    #: damaged, chain, number, redaction, missing, replaced or unexpected.
    kind: str
    file: str
    line: int
    offset: int
    #: The words for a person.
    what: str

    def __str__(self) -> str:
        """One line, as compilers write it."""
        return f"{self.file}:{self.line}: {self.what}"


@dataclass(slots=True)
class Verification:
    """What verify found."""

    events: int = 0
    segments: int = 0
    bytes: int = 0
    last_seq: int = 0
    head: str = GENESIS
    types: dict[str, int] = field(default_factory=dict)
    sealed: int = 0
    #: The number of each redacted line, and the agent that redacted it.
    redacted: list[tuple[int, str]] = field(default_factory=list)
    #: The first and the last record of each loss that was accepted, and the agent that accepted it.
    accepted: list[tuple[int, int, str]] = field(default_factory=list)
    sync_failures: int = 0
    pending: int = 0
    faults: list[Fault] = field(default_factory=list)
    #: What a person should know, and is no fault.
    notes: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Return True if nothing is wrong."""
        return not self.faults

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "ok": self.good,
            **{name: getattr(self, name) for name in ("events", "segments", "bytes", "last_seq", "head")},
            "types": dict(sorted(self.types.items())),
            "sealed": self.sealed,
            "redacted": [{"seq": seq, "by": by} for seq, by in self.redacted],
            "accepted": [{"first": first, "last": last, "by": by} for first, last, by in self.accepted],
            "sync_failures": self.sync_failures,
            "pending_bytes": self.pending,
            "faults": [fault._asdict() for fault in self.faults],
            "notes": self.notes,
        }

    def add_losses(self, losses: list[Loss]) -> None:
        """Add what anchors have shown."""
        self.faults += [Fault(loss.kind, "log", loss.first, 0, loss.what) for loss in losses]


def verify(log: Log, told: Callable[[int], None] | None = None, expect: str = "") -> Verification:
    """Go through the whole log; `told` is called with the number of bytes that are done.

    With `expect`, the hash of a record, it is a fault if the log does not have that record.
    """
    run = _Run(expect)
    for start in log.chunk_starts():
        run.chunk(log.chunk(start))
        if told:
            told(run.verdict.bytes)
    return run.finished()


class _Run:
    """One pass, with what may still be excused by a later event."""

    def __init__(self, expect: str) -> None:
        self.verdict = Verification()
        # The hash that some record must have; nothing once it was found.
        self._expected = expect
        # Faults that a later event may excuse: by place for torn lines, by number for redacted ones.
        self._damaged: dict[tuple[int, int], Fault] = {}
        self._bytes: dict[tuple[int, int], tuple[int, str]] = {}
        self._broken: dict[int, tuple[str, str, Fault]] = {}
        # The numbers of the records that have only what a redaction leaves.
        self._bare: set[int] = set()
        # A link that breaks right behind a damaged line is caused by that line, unless that is excused.
        self._linked: dict[tuple[int, int], Fault] = {}
        self._behind: tuple[int, int] | None = None
        # Torn lines behind the last record but seals: the next writer seals them.
        self._ending: list[tuple[int, int]] = []
        self._next = 1
        # Whether the segment starts behind numbers that were lost with a failed sync.
        self._lost = False

    def chunk(self, chunk: Chunk) -> None:
        verdict, first, name = self.verdict, chunk.start, chunk.name
        if chunk.problem:
            verdict.faults.append(Fault("damaged", name, 1, 0, chunk.problem))
            return
        verdict.segments += 1
        verdict.bytes += len(chunk.content)
        lines = chunk.content.split(b"\n")
        rest = lines.pop()
        verdict.pending = len(rest)
        opening = decode(lines[0]) if lines else None
        failed = opening is not None and opening.event_type == "log.sync_failed"
        self._lost = failed and first > self._next
        if first != self._next and not self._lost:
            what = f"the segment starts at {first}, not at {self._next}: a file is missing or misnamed"
            verdict.faults.append(Fault("number", name, 1, 0, what))
        self._next = first
        offset = 0
        for place, raw in enumerate(lines, start=1):
            event = decode(raw)
            if event is None:
                fault = Fault("damaged", name, place, offset, f"line {self._next} is not what was written")
                self._damaged[first, offset] = fault
                self._bytes[first, offset] = (len(raw), hashed(raw))
                self._behind = (first, offset)
                self._ending += [self._behind] if is_torn(raw) else []
                self._next += 1
            else:
                self._record(event, raw, Fault("chain", name, place, offset, ""))
                self._behind = None
            offset += len(raw) + 1
        if rest and not _may_be_torn(rest):
            what = "the unfinished end is not the start of a record"
            verdict.faults.append(Fault("damaged", name, len(lines) + 1, offset, what))

    def _record(self, event: Event, raw: bytes, place: Fault) -> None:
        verdict = self.verdict
        if event.seq != self._next:
            what = f"the record says it is number {event.seq}, but {self._next} should come here"
            verdict.faults.append(Fault("number", place.file, place.line, place.offset, what))
        if event.prev != verdict.head and not (self._lost and place.line == 1):
            what = f"record {event.seq} does not follow the one before it: one was changed or removed"
            place = place._replace(what=what)
            if self._behind is None:
                self._broken[verdict.last_seq] = (event.prev, verdict.head, place)
            else:
                self._linked[self._behind] = place
        self._next = event.seq + 1
        verdict.events += 1
        verdict.last_seq = event.seq
        verdict.types[event.event_type] = verdict.types.get(event.event_type, 0) + 1
        verdict.head = hashed(raw)
        if is_redacted(event):
            self._bare.add(event.seq)
        if event.event_type != SEALED:
            self._ending.clear()
        self._meet(verdict.head)
        self._excuse(event)

    def _meet(self, head: str) -> None:
        """Note that the log has, or had before a redaction, a record with this hash."""
        if head == self._expected:
            self._expected = ""

    def _excuse(self, event: Event) -> None:
        if event.event_type == SEALED:
            torn = (number(event.data, "segment"), number(event.data, "off"))
            named = (number(event.data, "len"), text(event.data, "sha"))
            # Two writers may name one tail, if nothing kept them apart: the second excuses nothing more.
            if self._bytes.get(torn) == named and torn in self._damaged:
                del self._damaged[torn]
                self.verdict.sealed += 1
                self.verdict.faults += [self._linked[torn]] if torn in self._linked else []
        elif event.event_type == "log.sync_failed":
            self.verdict.sync_failures += 1
        elif event.event_type == "log.redacted":
            self._redacted(event)
        elif event.event_type == ACCEPTED:
            loss = (number(event.data, "first"), number(event.data, "last"), event.actor)
            self.verdict.accepted.append(loss)

    def _redacted(self, event: Event) -> None:
        """Accept the broken link behind a redacted line, if both hashes are those that were announced."""
        seq = number(event.data, "seq")
        named, found, place = self._broken.pop(seq, ("", "", None))
        if place is None:
            what = f"record {seq} was to be redacted and still stands; palaver redact {seq} finishes it"
            self.verdict.faults.append(Fault("redaction", "log", seq, 0, what))
        elif (named, found) != (text(event.data, "was"), text(event.data, "now")):
            what = f"record {seq} was redacted by {event.actor}, but it is not what the redaction left"
            self.verdict.faults.append(place._replace(what=what))
        elif seq not in self._bare:
            what = f"record {seq} was changed, not redacted, although {event.actor} announced a redaction"
            self.verdict.faults.append(place._replace(what=what))
        else:
            self.verdict.redacted.append((seq, event.actor))
            self._meet(named)

    def finished(self) -> Verification:
        """Count what nothing has excused."""
        verdict = self.verdict
        if self._expected:
            what = f"no record has the head {self._expected}: the log has lost its end, or was rewritten"
            verdict.faults.append(Fault("unexpected", "log", verdict.last_seq, 0, what))
        for place in self._ending:
            if self._damaged.pop(place, None):
                verdict.pending += self._bytes[place][0] + 1
        verdict.faults += self._damaged.values()
        verdict.faults += [place for _, _, place in self._broken.values()]
        verdict.faults.sort(key=lambda fault: (fault.file, fault.line))
        return verdict


def _may_be_torn(rest: bytes) -> bool:
    """Return True if the crash of a writer can have left this: a record that is not finished."""
    start = b'{"v":1,"seq":'
    whole_and_more = intact(rest[:-1])
    return rest[: len(start)] == start[: len(rest)] and b"\0" not in rest and not whole_and_more
