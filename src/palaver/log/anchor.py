"""Anchors: records that the log had, as they are known outside it.

The checksums and links inside a log cannot show that its end is gone, or that all of it was rewritten: what
is left is consistent. An anchor can: it is the number of a record that was synced, and the hash of its line.
If the log no longer has that line, records are missing or were changed (docs/adr/0044).

A line that was redacted is excused by the event that announced it, and a loss that a person has accepted by
the event that says so. A corrupted line is no concern of an anchor: `verify` names it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from palaver.log.port import Log
from palaver.log.record import hashed, intact, seq_of
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
    held = [each.seq for each in known if each not in lost and each.seq < replaced[0].seq] if replaced else []
    return [
        *([_replaced(replaced, max(held, default=0))] if replaced else []),
        *([_missing(missing, end)] if missing else []),
    ]


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
    return not intact(raw) or hashed(raw) == anchor.head


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
    records = f"record {last} is" if first == last else f"records {first} to {last} are"
    if ended < end:
        state = f"the log ended at {ended} when this was noticed, and went on from there, but"
    else:
        state = f"the log ends at {end}, but" if end else "the log is empty, but"
    what = f"{records} missing: {state} it had record {last} according to {_known(anchors)}"
    return Loss("missing", first, last, what, anchors)


def _replaced(anchors: list[Anchor], held: int) -> Loss:
    lowest = anchors[0]
    first, last = held + 1, lowest.seq
    what = f"record {last} is not the one that the log had according to {_known([lowest])}"
    if first < last:
        what += f": one of the records {first} to {last} was changed, and the links after it were recomputed"
    return Loss("replaced", first, last, what, anchors)


def _known(anchors: list[Anchor]) -> str:
    """Return where records are known from: of each source the newest."""
    newest = {each.source: each for each in anchors}
    named = [f"{each.source} of {each.at}" if each.at else each.source for each in newest.values()]
    return " and ".join([", ".join(named[:-1]), named[-1]] if named[1:] else named)
