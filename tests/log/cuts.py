"""Cut a log off at a byte, as a crash may, and say what is wrong with what comes then."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from palaver.log.file_log import FileLog
from palaver.log.record import decode, intact
from palaver.model.event import Event
from tests.laws.drafts import said
from tests.processes.mutants import LOGS
from tests.processes.oracle import Ground

SEGMENT_BYTES: Final = 2_200
ALL: Final = 1_000


def _one(log: FileLog) -> int:
    return log.append([said("after the cut")])[0].seq


def _many(log: FileLog) -> int:
    return log.append([said("after the cut"), said("and more")])[0].seq


def _keyed(log: FileLog) -> int:
    return log.append([said("after the cut", key="new key")])[0].seq


APPENDS: Final[tuple[Callable[[FileLog], int], ...]] = (_one, _many, _keyed)


class Specimen:
    """A small log of two segments; the last three records are in the last one, or are all of it."""

    def __init__(self, folder: Path, last: int = 6) -> None:
        """Write it, with so many records in the last segment."""
        ground = Ground(folder, segment_bytes=SEGMENT_BYTES)
        log = ground.open()
        while len(list(ground.segments.iterdir())) < 2:
            log.append([said("in the first segment", by="ada")])
        while len(self._lines(ground)) < last:
            number = len(self._lines(ground))
            log.append([said(f"{number}: ä 語 \x1b \u2028 {'x' * number * 9}", key=f"key {number}")])
        self.first, self.last = (path.read_bytes() for path in sorted(ground.segments.iterdir()))
        self.name = max(path.name for path in ground.segments.iterdir())

    @staticmethod
    def _lines(ground: Ground) -> list[bytes]:
        return max(ground.segments.iterdir()).read_bytes().split(b"\n")[:-1]

    def cuts(self) -> range:
        """Return every length that leaves the last three records partly standing, or none of them."""
        return range(sum(len(raw) + 1 for raw in self.last.split(b"\n")[:-4]), len(self.last) + 1)

    def lay(self, folder: Path, length: int) -> Ground:
        """Lay the log down, its last segment cut off at a length."""
        ground = Ground(folder, segment_bytes=SEGMENT_BYTES * 4)
        (ground.segments / "000000000001.jsonl").write_bytes(self.first)
        (ground.segments / self.name).write_bytes(self.last[:length])
        return ground

    def whole(self, length: int) -> list[Event]:
        """Return the events whose lines are whole, newline and all, at that length."""
        kept = self.first + self.last[: self.last.rfind(b"\n", 0, length) + 1]
        return [event for raw in kept.split(b"\n") if (event := decode(raw))]

    def tail(self, length: int) -> bytes:
        """Return what stands behind the last newline at that length."""
        return self.last[self.last.rfind(b"\n", 0, length) + 1 : length]


def complaints(
    specimen: Specimen, folder: Path, length: int, append: Callable[[FileLog], int], mutant: str = ""
) -> Iterator[str]:
    """Cut, read, verify, append, and yield whatever is not as it must be."""
    ground = specimen.lay(folder, length)
    verdict = ground.verify()
    if ground.open().read(0, ALL) != specimen.whole(length):
        yield f"cut at {length}: a reader does not see exactly the whole records"
    if not verdict.good or verdict.pending != len(specimen.tail(length)):
        yield f"cut at {length}: verify sees {verdict.plain()}"

    log = LOGS[mutant](ground.root.log, lock=ground.root.log_lock, segment_bytes=ground.segment_bytes)
    seq = append(log)

    for complaint in _afterwards(specimen, ground, length, seq):
        yield f"cut at {length}, then {append.__name__}: {complaint}"
    shutil.rmtree(folder)  # there are thousands of them


def _afterwards(specimen: Specimen, ground: Ground, length: int, seq: int) -> Iterator[str]:
    torn = specimen.tail(length)
    kept = specimen.whole(length)
    lost = bool(torn) and not intact(torn)
    if torn and not lost:
        kept += [event for event in [decode(torn)] if event]
    events = ground.open().read(0, ALL)
    if events[: len(kept)] != kept:
        yield "an earlier record is gone"
    if not (ground.segments / specimen.name).read_bytes().startswith(specimen.last[:length]):
        yield "something was cut off"
    if [event.data["body"] for event in events if event.seq == seq] != ["after the cut"]:
        yield "the next record is not there"
    if seq != kept[-1].seq + (3 if lost else 1):
        yield f"the next record has the wrong number {seq}"
    yield from map(str, ground.verify().faults)
