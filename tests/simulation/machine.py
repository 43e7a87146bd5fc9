"""The machine of a simulation: its clock, its chance and its disk are values that a seed decides.

While it is switched on, the functions of `os`, `time` and `sqlite3` by which the product reaches the machine
are replaced. So a seed decides what time it is, which ids are drawn, at which system call a process dies or
is interrupted by another one, when the disk is full, and which bytes a power cut takes.

The disk is a folder in memory. Names survive a power cut, and so do bytes that were synced; of the bytes that
were appended since, any part may be gone.
"""

import errno
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from palaver.log import lock
from palaver.sync.render import replacement

#: The moment at which every simulation begins: 2026-02-22 10:00:00 UTC.
START_NS: Final = 1_771_754_400 * 1_000_000_000
#: Times of files are as coarse as a kernel's.
TICK_NS: Final = 4_000_000
_OS: Final = (
    "open", "write", "pwrite", "ftruncate", "truncate", "fsync", "fdatasync", "rename", "replace", "link",
    "unlink", "mkdir", "rmdir", "utime", "stat", "lstat", "fstat", "urandom",
)  # fmt: skip
_TIME: Final = ("time", "time_ns", "monotonic", "sleep")
_REAL_OS: Final = {name: getattr(os, name) for name in _OS}
_REAL_TIME: Final = {name: getattr(time, name) for name in _TIME}
_REAL_CONNECT: Final = sqlite3.connect
_REAL_EXCHANGE: Final = replacement._rename
_REAL_WAITED: Final = lock._waited


class Died(BaseException):
    """The process was killed: no handler of the product may go on after this."""


class Moments:
    """Counts the moments of one process, of which one comes before each change of the disk; acts at one."""

    def __init__(self, at: int = 0, deed: Callable[[], None] = lambda: None) -> None:
        self.at = at
        self.deed = deed
        self.count = 0
        #: How much of the write at which the process dies is done, from 0 to 1.
        self.part = 0.0
        self.is_dead = False


class Machine:
    """One machine. It is switched on for the time of one seed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.now_ns = START_NS
        self.ticks = 1_000.0
        self.boot = "boot-0"
        self.moments = Moments()
        #: How many bytes fit on the disk; None if there is plenty.
        self.room: int | None = None
        self._chance = random.Random(f"ids {seed}")
        # By real inode: the number that the product sees, its times, and how many bytes were synced of a file
        # that was written to since.
        self._numbers: dict[int, int] = {}
        self._times: dict[int, tuple[int, int]] = {}
        self._synced: dict[int, int] = {}
        self._views: list[sqlite3.Connection] = []
        self._device = _REAL_OS["stat"](folder.parent).st_dev

    @contextmanager
    def switched_on(self) -> Iterator[None]:
        """Let everything in this process happen on this machine."""
        for name in _OS:
            setattr(os, name, getattr(self, f"_{name}"))
        for name in _TIME:
            setattr(time, name, getattr(self, f"_{name}"))
        vars(sqlite3)["connect"] = self._connect
        vars(replacement)["_rename"] = self._exchange
        # Whoever has the lock is interrupted by us: it would not release it, however long we waited.
        vars(lock)["_waited"] = lambda *_: False
        try:
            yield
        finally:
            for name, real in _REAL_OS.items():
                setattr(os, name, real)
            for name, real in _REAL_TIME.items():
                setattr(time, name, real)
            vars(sqlite3)["connect"] = _REAL_CONNECT
            vars(replacement)["_rename"] = _REAL_EXCHANGE
            vars(lock)["_waited"] = _REAL_WAITED
            self.close_views()

    def numbers(self) -> dict[str, int]:
        """Return the inodes that the product has seen, by path."""
        paths = sorted(self.folder.rglob("*"))
        found = {str(path): _REAL_OS["lstat"](path).st_ino for path in paths}
        return {path: self._numbers[inode] for path, inode in found.items() if inode in self._numbers}

    def adopt(self, numbers: dict[str, int]) -> None:
        """Let files have the inodes that they had on another machine, from which they were copied."""
        for path, number in numbers.items():
            self._numbers[_REAL_OS["lstat"](path).st_ino] = number

    @contextmanager
    def process(self, moments: Moments) -> Iterator[None]:
        """Run a process with moments of its own; another one may be interrupted for it."""
        before, self.moments = self.moments, moments
        try:
            yield
        finally:
            self.moments = before

    def close_views(self) -> None:
        """Close what processes left open that are no more."""
        for each in self._views:
            each.close()
        self._views.clear()

    def pass_time(self, seconds: float) -> None:
        """Let time pass by both clocks."""
        self.now_ns += int(seconds * 1e9)
        self.ticks += seconds

    # --- power cuts ---

    def cut_power(self, dice: random.Random) -> None:
        """Take bytes that were not synced from every file; nothing runs on this machine."""
        self._cut_views(dice)
        for path in sorted(each for each in self.folder.rglob("*") if each.is_file()):
            real = _REAL_OS["stat"](path)
            synced = self._synced.get(real.st_ino)
            if synced is not None and synced < real.st_size:
                kept = dice.choice([synced, real.st_size, dice.randint(synced, real.st_size)])
                _REAL_OS["truncate"](path, kept)
        self._synced.clear()
        self.boot = f"boot-{dice.random()}"
        self.ticks = 10.0

    def _cut_views(self, dice: random.Random) -> None:
        """Leave of each view what SQLite had written to its files, with any part of the last log.

        Closing a view would write it whole, so its files are put back afterwards.
        """
        kept = {path: path.read_bytes() for path in sorted(self.folder.rglob("*.db*"))}
        self.close_views()
        for path in sorted(self.folder.rglob("*.db*")):
            path.unlink()
        for path, content in kept.items():
            if path.name.endswith("-wal"):
                content = content[: dice.choice([0, len(content), dice.randint(0, len(content))])]
            if not path.name.endswith("-shm"):
                path.write_bytes(content)

    # --- moments ---

    def _moment(self) -> None:
        """Let happen what is due before this change of the disk."""
        moments = self.moments
        if moments.is_dead:
            raise Died
        moments.count += 1
        if moments.count == moments.at:
            moments.deed()

    def die(self) -> None:
        """Kill the process that runs now."""
        self.moments.is_dead = True
        raise Died

    def _take_room(self, wanted: int) -> int:
        """Return how many bytes of a write fit on the disk."""
        if self.room is None:
            return wanted
        fits = min(wanted, self.room)
        self.room -= fits
        return fits

    def _is_full(self) -> bool:
        return self.room is not None and self.room <= 0

    # --- time and chance ---

    def _time_ns(self) -> int:
        self.now_ns += 1_000
        return self.now_ns

    def _time(self) -> float:
        return self._time_ns() / 1e9

    def _monotonic(self) -> float:
        return self.ticks

    def _sleep(self, seconds: float) -> None:
        """Let no time pass: how often a process looks whether another has ended is not for a seed to say."""

    def _urandom(self, count: int) -> bytes:
        return self._chance.randbytes(count)

    # --- what changes the disk ---

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_CREAT:
            self._moment()
            if self._is_full() and not os.path.lexists(path) and dir_fd is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        fd = int(_REAL_OS["open"](path, flags, mode, dir_fd=dir_fd))
        if flags & os.O_TRUNC:
            self._change(_REAL_OS["fstat"](fd).st_ino, 0)
        return fd

    def _change(self, inode: int, size: int) -> None:
        """Note that a file is about to be written to from there on."""
        self._synced[inode] = min(self._synced.get(inode, size), size)
        tick = self.now_ns // TICK_NS * TICK_NS
        self._times[inode] = (tick, tick)

    def _write(self, fd: int, data: Any) -> int:
        moments = self.moments
        is_last = moments.count + 1 == moments.at and moments.part > 0
        if not is_last:
            self._moment()
        elif moments.is_dead:
            raise Died
        real = _REAL_OS["fstat"](fd)
        fits = self._take_room(len(data))
        if not fits and len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if is_last:
            fits = int(fits * moments.part)
        self._change(real.st_ino, real.st_size)
        written = int(_REAL_OS["write"](fd, bytes(data)[:fits]))
        if is_last:
            self._moment()
        return written

    def _pwrite(self, fd: int, data: bytes, offset: int) -> int:
        self._moment()
        self._change(_REAL_OS["fstat"](fd).st_ino, offset)
        return int(_REAL_OS["pwrite"](fd, data, offset))

    def _ftruncate(self, fd: int, size: int) -> None:
        self._moment()
        self._change(_REAL_OS["fstat"](fd).st_ino, size)
        _REAL_OS["ftruncate"](fd, size)

    def _truncate(self, path: Any, size: int) -> None:
        self._moment()
        self._change(_REAL_OS["stat"](path).st_ino, size)
        _REAL_OS["truncate"](path, size)

    def _fdatasync(self, fd: int) -> None:
        self._moment()
        self._synced.pop(_REAL_OS["fstat"](fd).st_ino, None)

    _fsync = _fdatasync

    def _rename(self, source: Any, target: Any, **folders: Any) -> None:
        self._moment()
        inode = _REAL_OS["stat"](source, dir_fd=folders.get("src_dir_fd"), follow_symlinks=False).st_ino
        _REAL_OS["rename"](source, target, **folders)
        self._note_name(inode)

    _replace = _rename

    def _exchange(self, source: str, target: str, flags: int) -> None:
        self._moment()
        _REAL_EXCHANGE(source, target, flags)
        for path in (source, target):
            if os.path.lexists(path):
                self._note_name(_REAL_OS["lstat"](path).st_ino)

    def _note_name(self, inode: int) -> None:
        """Note that a file has another name: its inode was changed now, its content was not."""
        written = self._times.get(inode, (START_NS, START_NS))[0]
        self._times[inode] = (written, max(written, self.now_ns // TICK_NS * TICK_NS))

    def _link(self, *paths: Any, **how: Any) -> None:
        self._moment()
        _REAL_OS["link"](*paths, **how)

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        self._moment()
        _REAL_OS["unlink"](path, dir_fd=dir_fd)

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        self._moment()
        _REAL_OS["mkdir"](path, mode, dir_fd=dir_fd)

    def _rmdir(self, path: Any, *, dir_fd: int | None = None) -> None:
        self._moment()
        _REAL_OS["rmdir"](path, dir_fd=dir_fd)

    def _utime(self, path: Any, times: tuple[float, float] | None = None, **how: Any) -> None:
        follow = bool(how.get("follow_symlinks", True))
        inode = _REAL_OS["stat"](path, follow_symlinks=follow).st_ino
        tick = self.now_ns // TICK_NS * TICK_NS
        self._times[inode] = (int(times[1] * 1e9) if times else tick, tick)

    # --- what looks at it ---

    def _stat(self, path: Any, **how: Any) -> os.stat_result:
        return self._seen(_REAL_OS["stat"](path, **how))

    def _lstat(self, path: Any, **how: Any) -> os.stat_result:
        return self._seen(_REAL_OS["lstat"](path, **how))

    def _fstat(self, fd: int) -> os.stat_result:
        return self._seen(_REAL_OS["fstat"](fd))

    def _seen(self, real: os.stat_result) -> os.stat_result:
        """Return what is known of a file, with the times and the inode that it has on this machine."""
        if real.st_dev != self._device:
            return real
        number = self._numbers.setdefault(real.st_ino, len(self._numbers) + 1_000)
        written, changed = self._times.get(real.st_ino, (START_NS, START_NS))
        fields = [real.st_mode, number, real.st_dev, real.st_nlink, real.st_uid, real.st_gid, real.st_size]
        times = [written // 1_000_000_000, written // 1_000_000_000, changed // 1_000_000_000]
        exact = {
            "st_atime": written / 1e9, "st_mtime": written / 1e9, "st_ctime": changed / 1e9,
            "st_atime_ns": written, "st_mtime_ns": written, "st_ctime_ns": changed,
            "st_blocks": real.st_blocks, "st_blksize": real.st_blksize, "st_rdev": real.st_rdev,
        }  # fmt: skip
        return os.stat_result((*fields, *times), exact)

    # --- views ---

    def _connect(self, *words: Any, **how: Any) -> sqlite3.Connection:
        """Open a view whose commits are moments."""
        opened = _REAL_CONNECT(*words, factory=_Connection, **how)
        assert isinstance(opened, _Connection)
        opened.committing = self._commit
        self._views.append(opened)
        return opened

    def _commit(self) -> None:
        self._moment()
        if self._is_full():
            raise sqlite3.OperationalError("database or disk is full")


class _Connection(sqlite3.Connection):
    """A view that asks before it commits."""

    is_writing = False
    committing: Callable[[], None]

    def execute(self, question: str, *values: Any) -> sqlite3.Cursor:
        if question.startswith("begin"):
            self.is_writing = question == "begin immediate"
        elif question == "commit" and self.is_writing:
            try:
                self.committing()
            except sqlite3.OperationalError:
                super().execute("rollback")
                raise
        return super().execute(question, *values)
