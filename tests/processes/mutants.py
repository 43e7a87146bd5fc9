"""Logs that are broken on purpose: a test that finds nothing wrong with them finds nothing at all."""

import os
from collections.abc import Callable
from typing import Final

from palaver.log import segments
from palaver.log.file_log import FileLog
from palaver.log.lock import Lock


class _Open(Lock):
    """A lock that keeps nobody out."""

    __slots__ = ()

    def acquire(self, seconds: float) -> bool:
        self._held = self._opened.get(os.getpid()) or self._reopened()
        return True

    def release(self) -> None:
        return


class Unlocked(FileLog):
    """Writes without the lock."""

    __slots__ = ()

    def __init__(self, directory: str, *, lock: str, segment_bytes: int) -> None:
        super().__init__(directory, lock=lock, segment_bytes=segment_bytes)
        self._lock = _Open(lock)


def _forgotten(fd: object) -> None:
    assert fd is not None


def unsynced(directory: str, *, lock: str, segment_bytes: int) -> FileLog:
    """Return a log that acknowledges what the disk has not got; from then on this process syncs nothing."""
    os.fdatasync = _forgotten
    return FileLog(directory, lock=lock, segment_bytes=segment_bytes)


class Cutting(FileLog):
    """Cuts a torn tail off instead of sealing it."""

    __slots__ = ()

    def _seal(self, tail: segments.Tail) -> list[bytes]:
        assert self._segment is not None
        tail.end -= len(tail.torn)
        tail.torn = b""
        os.ftruncate(self._segment.fd, tail.end)
        return []


class Careless(FileLog):
    """Writes on without a look at the tail: the next record is glued to a torn one."""

    __slots__ = ()

    def _seal(self, tail: segments.Tail) -> list[bytes]:
        tail.torn = b""
        return []


Kind = Callable[..., FileLog]

LOGS: Final[dict[str, Kind]] = {
    "": FileLog,
    "unlocked": Unlocked,
    "unsynced": unsynced,
    "cutting": Cutting,
    "careless": Careless,
}
