"""The limits: the same system calls on the same bytes, without our code."""

import ctypes
import os
import select
import time
from _blake2 import blake2b
from fcntl import LOCK_EX, LOCK_UN, flock
from pathlib import Path
from zlib import crc32

import msgspec

ATTRIB = 0x4


class Appender:
    """flock, write, unlock, fdatasync: what a durable append by many processes cannot do without."""

    def __init__(self, folder: Path, record: bytes) -> None:
        self._record = record
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(folder / "bare.jsonl", flags | os.O_APPEND, 0o600)
        self._lock = os.open(folder / "bare.lock", flags, 0o600)

    def append(self) -> None:
        flock(self._lock, LOCK_EX)
        os.write(self._fd, self._record)
        flock(self._lock, LOCK_UN)
        os.fdatasync(self._fd)

    def append_times(self, count: int) -> None:
        # Written out, so that not even a method call of ours is in the limit.
        fd, lock, record = self._fd, self._lock, self._record
        for _ in range(count):
            flock(lock, LOCK_EX)
            os.write(fd, record)
            flock(lock, LOCK_UN)
            os.fdatasync(fd)


class Batcher:
    """Encode, hash, crc, one write, one sync: what a thousand records in one call cannot do without."""

    def __init__(self, folder: Path, lines: list[bytes]) -> None:
        self._records = [msgspec.json.decode(line) for line in lines]
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_APPEND
        self._fd = os.open(folder / "bare.batch.jsonl", flags, 0o600)

    def append(self) -> None:
        pieces = []
        for record in self._records:
            raw = msgspec.json.encode(record)
            blake2b(raw, digest_size=16).hexdigest()
            crc32(raw)
            pieces.append(raw)
        pieces.append(b"")
        os.write(self._fd, b"\n".join(pieces))
        os.fdatasync(self._fd)


class Watch:
    """inotify on one file, and nothing but the sleep."""

    def __init__(self, path: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd < 0 or libc.inotify_add_watch(self._fd, os.fsencode(path), ATTRIB) < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._poll = select.poll()
        self._poll.register(self._fd, select.POLLIN)

    def woken(self) -> int:
        """Sleep until the file is touched; return when that was noticed, in nanoseconds."""
        self._poll.poll(10_000)
        noticed = time.monotonic_ns()
        os.read(self._fd, 65_536)
        return noticed
