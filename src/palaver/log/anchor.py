"""Anchors: records that the log had, as they are known outside it.

The checksums and links inside a log cannot show that its end is gone, or that all of it was rewritten: what
is left is consistent. An anchor can: it is the number of a record that was synced, and the hash of its line.
If the log no longer has that line, records are missing or were changed (docs/adr/0044).

A line that was redacted is excused by the event that announced it, and a loss that a person has accepted by
the event that says so. A corrupted line is no concern of an anchor: `verify` names it. But it excuses a torn
line, which a crash may leave; where an anchor knows the record, it was no crash.
"""

from collections.abc import Iterable
from typing import NamedTuple

from palaver.log.port import Log
from palaver.log.record import hashed, intact, is_torn, seq_of
from palaver.log.segments import SEALED
from palaver.model.errors import StorageFailed
from palaver.model.event import number, text, texts

#: The type of the event that records an accepted loss.
ACCEPTED = "log.accepted"


class Anchor(NamedTuple):
    """One record that the log had."""

    seq: int
    head: str
    #: For people: where this is known from, and since when.
    source: str = ""
    at: str = ""
    #: The number at which the log ended when it was first found not to have the record; -1 if it never was.
    ended: int = -1

    @property
    def text(self) -> str:
        """Return how an event names it."""
        return f"{self.seq}:{self.head}"


class Loss(NamedTuple):
    """Records that the log no longer has: missing from its end, or replaced by others."""

    #: `missing` or `replaced`.
    kind: str
    #: The first missing record; or the first one that may be a replacement.
    first: int
    #: The last missing record; or the one that is not what it was.
    last: int
    #: The words for a person.
    what: str
    anchors: list[Anchor]


def is_held(log: Log, anchor: Anchor) -> bool:
    """Return True if the log has the record of an anchor, or a corrupted line in its place."""
    return _is_held(log, anchor, log.last_seq())


def find_losses(log: Log, anchors: Iterable[Anchor]) -> list[Loss]:
    """Return what the log has lost, the first number first; nothing if all anchors hold or are excused."""
    end = log.last_seq()
    known = sorted(set(anchors))
    lost = [anchor for anchor in known if not _is_held(log, anchor, end)]
    if lost:
        excused = _excused(log)
        lost = [anchor for anchor in lost if anchor.text not in excused]
    missing = [each for each in lost if each.seq > (end if each.ended < 0 else each.ended)]
    replaced = [each for each in lost if each not in missing]
    if not replaced:
        return [_missing(missing, end)] if missing else []
    held = max((each.seq for each in known if each not in lost and each.seq < replaced[0].seq), default=0)
    if torn := _torn(log, held + 1, replaced[0].seq):
        return [_cut_off(lost, torn[0])]
    return [_replaced(replaced, held), *([_missing(missing, end)] if missing else [])]


def last_record(content: bytes) -> Anchor | None:
    """Return the last intact record of raw lines as an anchor, None if there is none."""
    for raw in reversed(content.split(b"\n")[:-1]):
        if intact(raw):
            return Anchor(seq_of(raw), hashed(raw))
    return None


def _is_held(log: Log, anchor: Anchor, end: int) -> bool:
    if anchor.seq > end:
        return False
    try:
        raw = log.line(anchor.seq)
    except StorageFailed:
        # Its segment cannot be read: a fault of its own.
        return True
    if intact(raw):
        return hashed(raw) == anchor.head
    return not _torn(log, anchor.seq, anchor.seq)


def _torn(log: Log, first: int, last: int) -> list[int]:
    """Return which of these numbers have a line that was cut off, whether or not it was sealed since."""
    seals = {
        text(event.data, "sha") for event in log.newest_first(f'"{SEALED}"') if event.event_type == SEALED
    }
    starts = log.chunk_starts()
    return [
        number
        for start, following in zip(starts, [*starts[1:], last + 1], strict=True)
        if start <= last and first < following
        for number, raw in enumerate(log.chunk(start).content.split(b"\n")[:-1], start)
        if first <= number <= last and not intact(raw) and (is_torn(raw) or hashed(raw) in seals)
    ]


def _excused(log: Log) -> set[str]:
    """Return the records whose absence an event explains."""
    excused: set[str] = set()
    for event in log.newest_first('"log.redacted"'):
        seq = number(event.data, "seq")
        # Only what the redaction has left: an announcement alone excuses nothing.
        raw = log.line(seq) if event.event_type == "log.redacted" else b""
        if raw and hashed(raw) == text(event.data, "now"):
            excused.add(f"{seq}:{text(event.data, 'was')}")
    for event in log.newest_first(f'"{ACCEPTED}"'):
        if event.event_type == ACCEPTED:
            excused.update(texts(event.data, "heads"))
    return excused


def _missing(anchors: list[Anchor], end: int) -> Loss:
    ends = [each.ended for each in anchors if each.ended >= 0]
    ended = min([*ends, end])
    first, last = ended + 1, anchors[-1].seq
    if ended < end:
        state = f"the log ended at {ended} when this was noticed, and went on from there, but"
    else:
        state = f"the log ends at {end}, but" if end else "the log is empty, but"
    return Loss("missing", first, last, _are_missing(first, anchors, state), anchors)


def _cut_off(anchors: list[Anchor], torn: int) -> Loss:
    state = f"the log was cut off in record {torn}, but"
    return Loss("missing", torn, anchors[-1].seq, _are_missing(torn, anchors, state), anchors)


def _are_missing(first: int, anchors: list[Anchor], state: str) -> str:
    last = anchors[-1].seq
    records = f"record {last} is" if first == last else f"records {first} to {last} are"
    return f"{records} missing: {state} it had record {last} according to {_known(anchors)}"


def _replaced(anchors: list[Anchor], held: int) -> Loss:
    lowest = anchors[0]
    first, last = held + 1, lowest.seq
    what = f"record {last} is not the one that the log had according to {_known([lowest])}"
    if first < last:
        what += f": some of the records {first} to {last} were changed, or lost and replaced by others"
    return Loss("replaced", first, last, what, anchors)


def _known(anchors: list[Anchor]) -> str:
    """Return where records are known from: of each source the newest."""
    newest = {each.source: each for each in anchors}
    named = [f"{each.source} of {each.at}" if each.at else each.source for each in newest.values()]
    return " and ".join([", ".join(named[:-1]), named[-1]] if named[1:] else named)
