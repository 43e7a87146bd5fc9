"""A lock between processes and threads that never waits forever and can say which process holds it.

It is flock on a file of its own, which is never deleted or renamed: the kernel releases it when the holder
dies. It does not when the holder is stopped; then the process that waits gives up and names the holder.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
import time
from _thread import LockType, allocate_lock
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

from palaver.files.regular import open_regular

# Waiting starts short, because a holder is done in microseconds, and grows to this.
_LONGEST_NAP = 0.002
_YIELDS = 20
# How often the kernel's list of locks is read before a lock that is not in it counts as free.
_LISTINGS = 8
_LISTING_BYTES = 1 << 16


class Lock:
    """One lock file, used by any number of processes and threads."""

    def __init__(self, path: str) -> None:
        """Take the path; nothing is opened yet."""
        self.path = path
        # By process: the open file, and a lock between the threads of that process, because flock belongs to
        # the open file and two threads would both get it.
        self._opened: dict[int, tuple[int, LockType]] = {}
        # The one that the holder of the lock has taken; it means nothing to other threads.
        self._held: tuple[int, LockType] = (-1, allocate_lock())

    def __del__(self) -> None:
        """Close the file."""
        for fd, _ in self._opened.values():
            os.close(fd)

    def acquire(self, seconds: float) -> bool:
        """Take the lock; give up after so many seconds."""
        fd, threads = mine = self._opened.get(os.getpid()) or self._reopened()
        deadline = 0.0
        if not threads.acquire(blocking=False):
            deadline = time.monotonic() + seconds
            if not threads.acquire(timeout=seconds):
                return False
        try:
            taken = _taken(fd) or _waited(fd, deadline or time.monotonic() + seconds)
        except BaseException:
            threads.release()
            raise
        if taken:
            self._held = mine
        else:
            threads.release()
        return taken

    def release(self) -> None:
        """Release the lock."""
        fd, threads = self._held
        flock(fd, LOCK_UN)
        threads.release()

    def is_in_place(self) -> bool:
        """Return True unless the file that the holder has locked was removed or replaced."""
        try:
            return os.path.samestat(os.fstat(self._held[0]), os.lstat(self.path))
        except FileNotFoundError:
            return False

    def mark(self) -> bytes:
        """Return the few bytes that holders leave for each other."""
        return os.pread(self._held[0], 32, 0)

    def leave(self, mark: bytes) -> None:
        """Leave a new mark; only the holder of the lock may."""
        os.pwrite(self._held[0], mark, 0)

    def holder(self) -> int:
        """Return the process that holds the lock, 0 if there is none or it is unknown."""
        try:
            mine = os.lstat(self.path)
            place = f"{os.major(mine.st_dev):02x}:{os.minor(mine.st_dev):02x}:{mine.st_ino}"
            for _ in range(_LISTINGS):
                pages = _listing()
                for row in b"".join(pages).decode("ascii").split("\n"):
                    words = row.split()
                    if len(words) > 5 and words[1] == "FLOCK" and words[5] == place:
                        return int(words[4])
                if len(pages) < 2:
                    break
        except OSError:
            pass
        return 0

    def _reopened(self) -> tuple[int, LockType]:
        """Open the file, and again after a fork: a child shares the lock of its parent otherwise.

        Of threads that come here at once, all take what the first one opened.
        """
        fresh = (open_regular(self.path, os.O_RDWR | os.O_CREAT), allocate_lock())
        kept = self._opened.setdefault(os.getpid(), fresh)
        if kept is not fresh:
            os.close(fresh[0])
        for pid in list(self._opened):
            parents = self._opened.pop(pid, None) if pid != os.getpid() else None
            if parents:
                os.close(parents[0])
        return kept


def _listing() -> list[bytes]:
    """Return the kernel's list of locks, page by page.

    Only one page is a moment's truth: a lock that another process releases between two pages moves the rows
    after it up, and the first of them is missed.
    """
    pages = []
    fd = os.open("/proc/locks", os.O_RDONLY | os.O_CLOEXEC)
    try:
        while page := os.read(fd, _LISTING_BYTES):
            pages.append(page)
    finally:
        os.close(fd)
    return pages


def _taken(fd: int) -> bool:
    try:
        flock(fd, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _waited(fd: int, deadline: float) -> bool:
    for _ in range(_YIELDS):
        # The holder is done in microseconds: let it run, rather than sleep for longer than that.
        os.sched_yield()
        if _taken(fd):
            return True
    nap = 0.00002
    while time.monotonic() < deadline:
        time.sleep(nap)
        nap = min(nap * 1.5, _LONGEST_NAP)
        if _taken(fd):
            return True
    return False


def describe(pid: int) -> str:
    """Return a few words on what a process is and does."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as listing:
            words = listing.read().decode("utf-8", "backslashreplace").split("\0")
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="backslashreplace") as listing:
            state = listing.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return f"process {pid}"
    command = " ".join(word for word in words if word)[:80]
    stopped = ", which is stopped" if state in ("T", "t") else ""
    return f"process {pid} ({command}){stopped}"
