"""Damage a log in every way, and say what went unnoticed or was lost with it."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from palaver.log.record import decode
from palaver.model.event import Event
from tests.laws.drafts import said
from tests.processes.oracle import Ground

PAGE: Final = 4_096
ALL: Final = 10_000


class Patient:
    """A log of several segments that can be damaged and made whole again."""

    def __init__(self, folder: Path, *, events: int, segment_bytes: int) -> None:
        """Write it: short and long records, one batch, keys, and texts that need escapes."""
        self.ground = Ground(folder, segment_bytes=segment_bytes)
        log = self.ground.open()
        for n in range(events):
            log.append([said(f"{n}: ä 語 \x1b\n{'x' * (n * 17 % 90)}", key=f"key {n}" if n % 2 else "")])
        self.paths = sorted(self.ground.segments.iterdir())
        self.whole = {path: path.read_bytes() for path in self.paths}
        self.events = log.read(0, ALL)
        assert len(self.paths) > 1
        assert self.ground.verify().good

    @property
    def size(self) -> int:
        return sum(map(len, self.whole.values()))

    def heal(self) -> None:
        """Bring back every byte."""
        for path, data in self.whole.items():
            path.write_bytes(data)

    def touched(self, path: Path, start: int, end: int) -> set[int]:
        """Return the numbers of the records that have a byte, newline included, in a span of a segment."""
        numbers: set[int] = set()
        offset = 0
        for raw in self.whole[path].split(b"\n")[:-1]:
            event = decode(raw)
            assert event is not None
            if offset < end and start <= offset + len(raw):
                numbers.add(event.seq)
            # A newline that is gone joins its line to the next.
            if start <= offset + len(raw) < end:
                numbers.add(event.seq + 1)
            offset += len(raw) + 1
        return numbers

    def complaints(self, what: str, allowed: set[int]) -> Iterator[str]:
        """Yield what is wrong: the damage is not found, or costs more than the records it touched."""
        if self.ground.verify().good:
            yield f"{what}: verify says that all is well"
        served = {event.seq: event for event in self.ground.open().read(0, ALL)}
        for event in self.events:
            if event.seq not in allowed and served.get(event.seq) != event:
                yield f"{what}: record {event.seq} is not served any more"
        for seq, event in served.items():
            if not self._true(seq, event):
                yield f"{what}: record {seq} says what nobody wrote"

    def _true(self, seq: int, event: Event) -> bool:
        return seq <= len(self.events) and event == self.events[seq - 1]


def flipped(patient: Patient, places: list[tuple[Path, int, int]]) -> Iterator[str]:
    """Flip single bits, given as (segment, byte, bit), one at a time."""
    for path, byte, bit in places:
        right = patient.whole[path][byte]
        _put(path, byte, right ^ 1 << bit)
        allowed = patient.touched(path, byte, byte + 1)
        yield from patient.complaints(f"{path.name} byte {byte} bit {bit}", allowed)
        _put(path, byte, right)


def _put(path: Path, place: int, value: int) -> None:
    """Change one byte in place, which is far quicker than writing the file anew."""
    with path.open("r+b") as file:
        file.seek(place)
        file.write(bytes([value]))


def all_bits(patient: Patient) -> list[tuple[Path, int, int]]:
    """Return every bit of every segment."""
    return [
        (path, byte, bit)
        for path in patient.paths
        for byte in range(len(patient.whole[path]))
        for bit in range(8)
    ]


def some_bits(patient: Patient, seed: int, count: int) -> list[tuple[Path, int, int]]:
    """Return bits at random, and all of every newline."""
    newlines = [place for place in all_bits(patient) if patient.whole[place[0]][place[1]] == ord("\n")]
    return newlines + random.Random(seed).sample(all_bits(patient), count)


def zeroed(patient: Patient) -> Iterator[str]:
    """Fill each page with zeros, one at a time, as a disk does that has lost one."""
    for path in patient.paths:
        for start in range(0, len(patient.whole[path]), PAGE):
            data = bytearray(patient.whole[path])
            end = min(start + PAGE, len(data))
            data[start:end] = bytes(end - start)
            path.write_bytes(data)
            yield from patient.complaints(f"{path.name} page at {start}", patient.touched(path, start, end))
            path.write_bytes(patient.whole[path])


def swapped(patient: Patient) -> Iterator[str]:
    """Swap each line with the next, and with the one after that."""
    for path in patient.paths:
        lines = patient.whole[path].split(b"\n")[:-1]
        for step in (1, 2):
            for place in range(len(lines) - step):
                moved = list(lines)
                moved[place], moved[place + step] = moved[place + step], moved[place]
                path.write_bytes(b"".join(raw + b"\n" for raw in moved))
                # Both can still be read; they only do not stand where they should.
                both = {int(path.stem) + place, int(path.stem) + place + step}
                yield from patient.complaints(f"{path.name} lines {sorted(both)} swapped", both)
                path.write_bytes(patient.whole[path])


def removed(patient: Patient) -> Iterator[str]:
    """Take each line out but the very last, of which nothing behind it could tell."""
    for path in patient.paths:
        lines = patient.whole[path].split(b"\n")[:-1]
        for place in range(len(lines) - (path == patient.paths[-1])):
            path.write_bytes(b"".join(raw + b"\n" for raw in lines[:place] + lines[place + 1 :]))
            number = int(path.stem) + place
            yield from patient.complaints(f"{path.name} without record {number}", {number})
            path.write_bytes(patient.whole[path])


def inserted(patient: Patient) -> Iterator[str]:
    """Put a line where none was: a blank one, a copy of the one before, one from elsewhere."""
    for path in patient.paths:
        lines = patient.whole[path].split(b"\n")[:-1]
        stranger = patient.whole[patient.paths[0]].split(b"\n")[0]
        for place in range(1, len(lines) + 1):
            for line in (b"", lines[place - 1], stranger):
                path.write_bytes(b"".join(raw + b"\n" for raw in [*lines[:place], line, *lines[place:]]))
                yield from patient.complaints(f"{path.name} with a line more at {place}", set())
                path.write_bytes(patient.whole[path])


def missing(patient: Patient) -> Iterator[str]:
    """Take each segment away but the last, of which nothing behind it could tell."""
    for path in patient.paths[:-1]:
        path.unlink()
        numbers = patient.touched(path, 0, len(patient.whole[path]))
        yield from patient.complaints(f"without {path.name}", numbers)
        path.write_bytes(patient.whole[path])
