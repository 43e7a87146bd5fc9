"""Overwrites one line of a log on the disk, so that it can be finished after a crash at any moment.

The new line is kept beside the log until everything that was derived from the old one is gone: a line that
is half overwritten does not show what it should become (docs/adr/0009).
"""

import os
from collections.abc import Callable

from palaver.files.regular import open_regular, storage_failed
from palaver.log import segments


def spare_path(directory: str, seq: int) -> str:
    """Return where the new line is kept meanwhile."""
    return f"{os.path.dirname(directory)}/redact.{seq}"


def find_line(directory: str, seq: int) -> tuple[int, int, bytes] | None:
    """Return the segment, the offset and the bytes of the line with this number, corrupted or not."""
    firsts = [first for first in segments.listed(directory) if first <= seq]
    offset = 0
    for raw in segments.content(directory, firsts[-1]).split(b"\n")[:-1] if firsts else ():
        if raw.startswith(b'{"v":1,"seq":%d,' % seq):
            return firsts[-1], offset, raw
        offset += len(raw) + 1
    return None


def read_spare(directory: str, seq: int) -> bytes:
    """Return the line that a redaction which was interrupted wanted to write, nothing if there is none."""
    try:
        with open(spare_path(directory, seq), "rb", opener=open_regular) as file:
            return file.read()
    except OSError:
        return b""


def overwrite(directory: str, seq: int, raw: bytes, announce: Callable[[], None]) -> None:
    """Keep the new line aside, call `announce`, then write it over the old one; all of it durable."""
    spare = spare_path(directory, seq)
    try:
        found = find_line(directory, seq)
        assert found is not None, "only a line that was found is redacted"
        _write(spare, os.O_CREAT | os.O_TRUNC, raw, 0)
        announce()
        segment, offset, _ = found
        _write(segments.path_of(directory, segment), 0, raw, offset)
    except OSError as fault:
        raise storage_failed(fault, directory) from fault


def _write(path: str, flags: int, data: bytes, offset: int) -> None:
    fd = open_regular(path, os.O_WRONLY | flags)
    try:
        os.pwrite(fd, data, offset)
        os.fsync(fd)
    finally:
        os.close(fd)
