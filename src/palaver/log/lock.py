"""A lock between processes and threads that never hangs for ever and can say who holds it.

flock on a file of its own, which is never deleted or renamed: the kernel lets go when the holder
dies. It does not let go when the holder is stopped; then the one who waits gives up and names it.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
import time
from _thread import allocate_lock
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

# Waiting starts short, because a holder is done in microseconds, and grows to this.
_LONGEST_NAP = 0.002


class Lock:
    """One lock file, used by any number of processes and threads."""

    __slots__ = ("_fd", "_pid", "_threads", "path")

    def __init__(self, path: str) -> None:
        """Name the lock; nothing is opened yet."""
        self.path = path
        self._fd = -1
        self._pid = 0
        # flock belongs to the open file, so two threads of one process would both get it.
        self._threads = allocate_lock()

    def acquire(self, seconds: float) -> bool:
        """Take the lock; give up after so many seconds."""
        if self._pid != os.getpid():
            self._reopen()
        threads = self._threads
        if not threads.acquire(blocking=False) and not threads.acquire(timeout=seconds):
            return False
        try:
            flock(self._fd, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            if self._wait(seconds):
                return True
            threads.release()
            return False
        except BaseException:
            threads.release()
            raise
        return True

    def release(self) -> None:
        """Let go."""
        flock(self._fd, LOCK_UN)
        self._threads.release()

    def mark(self) -> bytes:
        """Return what the holders have left for each other: a few bytes that change when they say so."""
        return os.pread(self._fd, 32, 0)

    def glance(self) -> bytes:
        """Return the mark without holding the lock."""
        if self._pid != os.getpid():
            self._reopen()
        return os.pread(self._fd, 32, 0)

    def leave(self, mark: bytes) -> None:
        """Leave a new mark; only who holds the lock may."""
        os.pwrite(self._fd, mark, 0)

    def holder(self) -> int:
        """Return the process that holds the lock, 0 if nobody does or it cannot be told."""
        try:
            mine = os.stat(self.path)
            with open("/proc/locks", encoding="ascii") as listing:
                rows = listing.read().split("\n")
        except OSError:
            return 0
        place = f"{os.major(mine.st_dev):02x}:{os.minor(mine.st_dev):02x}:{mine.st_ino}"
        for row in rows:
            words = row.split()
            if len(words) > 5 and words[1] == "FLOCK" and words[5] == place:
                return int(words[4])
        return 0

    def _wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        nap = 0.00002
        while time.monotonic() < deadline:
            time.sleep(nap)
            nap = min(nap * 1.5, _LONGEST_NAP)
            try:
                flock(self._fd, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                continue
            except BaseException:
                self._threads.release()
                raise
            return True
        return False

    def _reopen(self) -> None:
        """Open the file, anew after a fork: a child shares its parent's lock, and would not be kept out."""
        if self._fd >= 0:
            os.close(self._fd)
        self._threads = allocate_lock()
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._pid = os.getpid()


def describe(pid: int) -> str:
    """Say in a few words what a process is and what it does."""
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
