"""The files of a log: `<first seq>.jsonl`, each a run of lines, each line with a number.

**Every line has a number**, even a corrupted one: the number of a record is the first number of its segment
plus its index in it. So no number is ever used twice, and the number of a corrupted line follows from its
neighbours (docs/adr/0007).

Readers take no lock: they read up to the last newline. Bytes after it are still being written, or were torn
by a crash; the next writer decides which.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os

from palaver.files.regular import NotRegular, open_regular, size_of, storage_failed
from palaver.log.record import GENESIS, decode, hashed, intact, is_torn, seq_of
from palaver.model.errors import StorageFailed
from palaver.model.event import number

#: The event that names the bytes of a torn line.
SEALED = "log.sealed"
_SUFFIX = ".jsonl"
_DIGITS = 12
# How many bytes of the end of a segment are read to find the last record, until it is found.
_WINDOWS = (8_192, 262_144, 1 << 62)
# The position of a number is searched to within so many bytes, which are then read.
_NEAR = 16_384


def file_name(first: int) -> str:
    """Return the name of the segment whose first line has this number."""
    return f"{first:0{_DIGITS}d}{_SUFFIX}"


def path_of(directory: str, first: int) -> str:
    """Return the path of a segment."""
    return f"{directory}/{first:0{_DIGITS}d}{_SUFFIX}"


def listed(directory: str) -> list[int]:
    """Return the first numbers of all segments, in order."""
    try:
        names = os.listdir(directory)
    except OSError as fault:
        raise storage_failed(fault, directory) from fault
    return sorted(
        int(name[:_DIGITS])
        for name in names
        if name[_DIGITS:] == _SUFFIX and name.isascii() and name[:_DIGITS].isdigit()
    )


def open_segment(path: str, flags: int = os.O_RDONLY) -> int:
    """Open a segment and return its descriptor; refuse what is not a regular file.

    A refusal and not an OSError: a view that is behind must not be used in place of such a log.
    """
    try:
        return open_regular(path, flags)
    except NotRegular as fault:
        raise _not_a_segment(path, fault) from fault


def size(directory: str, first: int) -> int:
    """Return the size of a segment; refuse what is not a regular file."""
    path = path_of(directory, first)
    try:
        return size_of(path)
    except NotRegular as fault:
        raise _not_a_segment(path, fault) from fault


def _not_a_segment(path: str, fault: NotRegular) -> StorageFailed:
    return StorageFailed(f"cannot use {path}", f"it is {fault.kind}, not a log segment", "remove it")


def content(directory: str, first: int, offset: int = 0, most: int = -1) -> bytes:
    """Return the whole lines of a segment from an offset on; the unfinished tail is left out.

    With `most`, only the lines within so many bytes; all of them if that is less than one line.
    """
    with open(path_of(directory, first), "rb", buffering=0, opener=open_segment) as segment:
        if offset:
            segment.seek(offset)
        data = segment.read(most)
        end = data.rfind(b"\n") + 1
        if not end and len(data) == most:
            data += segment.readall()
            end = data.rfind(b"\n") + 1
    return data if end == len(data) else data[:end]


def near(directory: str, first: int, seq: int) -> int:
    """Return the offset of a line shortly before the first number greater than `seq`.

    A binary search, so that the cost of reading one event does not grow with the log. Only an intact line
    shows its number; where none is found the search goes on before it, and more is read.
    """
    low = 0
    with open(path_of(directory, first), "rb", buffering=0, opener=open_segment) as segment:
        fd = segment.fileno()
        high = os.fstat(fd).st_size if first <= seq else 0
        while high - low > _NEAR:
            middle = (low + high) // 2
            data = os.pread(fd, _WINDOWS[0], middle)
            start = data.find(b"\n") + 1
            raw = data[start : data.find(b"\n", start)]
            if start and intact(raw) and seq_of(raw) <= seq:
                low = middle + start
            else:
                high = middle
    return low


def find_line(directory: str, seq: int) -> tuple[int, int, bytes]:
    """Return the segment, the offset and the bytes of a line by its number; no bytes if there is none."""
    firsts = [first for first in listed(directory) if first <= seq]
    offset = near(directory, firsts[-1], seq - 1) if firsts else 0
    while data := content(directory, firsts[-1], offset, _NEAR * 2) if firsts else b"":
        for raw in data.split(b"\n")[:-1]:
            if raw.startswith(b'{"v":1,"seq":%d,' % seq):
                return firsts[-1], offset, raw
            offset += len(raw) + 1
    return 0, 0, b""


def overwrite(path: str, flags: int, data: bytes, offset: int) -> None:
    """Write bytes at an offset of a file, synced."""
    fd = open_regular(path, os.O_WRONLY | flags)
    try:
        os.pwrite(fd, data, offset)
        os.fsync(fd)
    finally:
        os.close(fd)


def ends_a_line(directory: str) -> bool:
    """Return True if the log is empty or ends with a newline; else a writer is at work, or has died."""
    try:
        firsts = listed(directory)
        if not firsts:
            return True
        fd = open_segment(path_of(directory, firsts[-1]), os.O_RDONLY)
        try:
            size = os.fstat(fd).st_size
            return not size or os.pread(fd, 1, size - 1) == b"\n"
        finally:
            os.close(fd)
    except OSError as fault:
        raise storage_failed(fault, directory) from fault


class Tail:
    """The end of a log: what the next writer must know."""

    def __init__(self, first: int, end: int, seq: int, prev: str, torn: bytes) -> None:
        """Take the segment, its size, the number of its last line, the last hash, and the torn bytes.

        The torn bytes, if any, are those behind the last newline; they have no number yet.
        """
        self.first = first
        self.end = end
        self.seq = seq
        self.prev = prev
        self.torn = torn
        #: Torn lines above that, with their offsets: their writer died, and so did the one that sealed them.
        self.unsealed: list[tuple[int, bytes]] = []

    def count_torn(self) -> list[tuple[int, bytes]]:
        """Count the torn bytes as a line; return all lines that must be sealed, with their offsets."""
        torn, self.torn = self.torn, b""
        unsealed, self.unsealed = self.unsealed, []
        self.seq += 1 if torn else 0
        if intact(torn):
            # Complete but for its newline: it counts.
            self.prev = hashed(torn)
        elif torn and not (intact(torn[:-1]) and torn[-1]):
            # Else it is a complete record with another byte instead of its newline: corrupted, not torn.
            unsealed.append((self.end - len(torn), torn))
        return unsealed


def grown(fd: int, before: Tail, end: int) -> Tail | None:
    """Return the end of a segment that has grown by whole records; None if it must be read again."""
    if before.torn or not 0 < end - before.end <= _WINDOWS[0]:
        return None
    data = os.pread(fd, end - before.end, before.end)
    if not data.endswith(b"\n"):
        return None
    last = data[data.rfind(b"\n", 0, -1) + 1 : -1]
    return Tail(before.first, end, seq_of(last), hashed(last), b"") if intact(last) else None


def tail(directory: str, first: int, fd: int) -> Tail:
    """Read the end of the last segment; read further back only if its lines are corrupted."""
    size = os.fstat(fd).st_size
    for window in _WINDOWS:
        start = max(0, size - window)
        data = os.pread(fd, size - start, start)
        if start:
            # The window may start in the middle of a line.
            cut = data.find(b"\n") + 1
            if not cut:
                continue
            data = data[cut:]
        lines = data.split(b"\n")
        torn = lines.pop()
        damaged = 0
        for raw in reversed(lines):
            if intact(raw):
                found = Tail(first, size, seq_of(raw) + damaged, hashed(raw), torn)
                if damaged or _is_seal(raw):
                    found.unsealed = _unsealed(lines, size - len(torn))
                return found
            damaged += 1
        if not start:
            break
    # No line of this segment is intact: its name gives the numbers, the segment before it the hash.
    found = Tail(first, size, first - 1 + damaged, _hash_before(directory, first), torn)
    found.unsealed = _unsealed(lines, size - len(torn))
    return found


def _unsealed(lines: list[bytes], end: int) -> list[tuple[int, bytes]]:
    """Return the torn lines behind the last record that no event has sealed, with their offsets."""
    found: list[tuple[int, bytes]] = []
    sealed: set[int] = set()
    for raw in reversed(lines):
        end -= len(raw) + 1
        event = decode(raw)
        if event is None and is_torn(raw):
            found.append((end, raw))
        elif event is not None and event.event_type != SEALED:
            break
        elif event is not None:
            sealed.add(number(event.data, "off"))
    return [each for each in reversed(found) if each[0] not in sealed]


def _is_seal(raw: bytes) -> bool:
    return b'"event_type":"%b"' % SEALED.encode() in raw


def _hash_before(directory: str, first: int) -> str:
    for earlier in reversed(listed(directory)):
        if earlier < first:
            for raw in reversed(content(directory, earlier).split(b"\n")):
                if intact(raw):
                    return hashed(raw)
    return GENESIS
