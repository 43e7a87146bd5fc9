"""Files with lines that are too long to hold in memory: each is a short stand-in, until the file is written.

No message is so long, so no program looks into such a line: it is junk, and stays where it is. A stand-in has
a random part, so it cannot occur in a file.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from palaver.model.limits import CHUNK_BYTES, FOREIGN_BYTES, HELD_LINE_BYTES
from palaver.sync.foreign_file import open_to_read
from palaver.sync.replaced_files import Fingerprint


class FoldedFile:
    """An open file, read as far as it was; `content` has the stand-ins."""

    def __init__(self, fd: int, found: os.stat_result, most: int = FOREIGN_BYTES) -> None:
        """Take a file that is open for reading, its status, and how much to read of it."""
        self.found = found
        self._fd = fd
        self._nonce = os.urandom(8).hex()
        self._stand_in = re.compile(rf"\(long line {self._nonce} at (\d+) of (\d+)\)".encode())
        fingerprint = Fingerprint()
        self.content = b"".join(self._fold(fingerprint, min(most, found.st_size)))
        #: The size and the digest of what was read.
        self.fingerprint = fingerprint

    def attributes(self) -> Iterator[tuple[str, bytes]]:
        """Yield the extended attributes of the file that may be read."""
        with suppress(OSError):
            for name in os.listxattr(self._fd):
                with suppress(OSError):
                    yield name, os.getxattr(self._fd, name)

    def lines(self) -> list[bytes]:
        """Return the lines of `content` that are no stand-ins."""
        return [line for line in self.content.split(b"\n") if not self._stand_in.fullmatch(line)]

    def position(self, offset: int) -> int:
        """Return where an offset of the file is in `content`; in a long line, the start of its stand-in."""
        saved = 0
        for match in self._stand_in.finditer(self.content):
            start, length = int(match[1]), int(match[2])
            if offset < start + length:
                return min(offset - saved, match.start())
            saved += length - len(match[0])
        return offset - saved

    def unfolded(self, content: bytes) -> Iterator[bytes]:
        """Yield content in pieces, with the long lines of this file instead of their stand-ins."""
        reached = 0
        for match in self._stand_in.finditer(content):
            yield content[reached : match.start()]
            yield from self._read(int(match[1]), int(match[2]))
            reached = match.end()
        yield content[reached:] if reached else content

    def _fold(self, fingerprint: Fingerprint, size: int) -> Iterator[bytes]:
        """Read the file; yield its lines, or stand-ins for them, in pieces."""
        line, length = list[bytes](), 0
        for piece in self._read(0, size):
            fingerprint.update(piece)
            first, last = piece.find(b"\n"), piece.rfind(b"\n")
            begun = piece if first < 0 else piece[:first]
            length += len(begun)
            line = [*line, begun] if length <= HELD_LINE_BYTES else []
            if first >= 0:
                yield from self._line(line, length, fingerprint.size - len(piece) + first)
                yield piece[first : last + 1]
                line, length = [piece[last + 1 :]], len(piece) - last - 1
        yield from self._line(line, length, fingerprint.size)

    def _line(self, line: list[bytes], length: int, end: int) -> list[bytes]:
        if length <= HELD_LINE_BYTES:
            return line
        return [f"(long line {self._nonce} at {end - length} of {length})".encode()]

    def _read(self, start: int, length: int) -> Iterator[bytes]:
        """Yield bytes of the file; fewer if it was cut meanwhile, which is found out by its digest."""
        end = start + length
        while start < end and (piece := os.pread(self._fd, min(CHUNK_BYTES, end - start), start)):
            start += len(piece)
            yield piece


@contextmanager
def open_folded(path: str, most: int = FOREIGN_BYTES) -> Iterator[FoldedFile]:
    """Open a file and read it; raise `Unfit` if the bus may not read it, FileNotFoundError if it is gone."""
    fd, found = open_to_read(path)
    try:
        yield FoldedFile(fd, found, most)
    finally:
        os.close(fd)
