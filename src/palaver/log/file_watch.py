"""Waits until a file or folder changes, without polling.

inotify by ctypes, which takes two milliseconds to load where the usual packages take twenty to fifty. Where
inotify is not available (limits, other systems) the waiter polls, more often. A wake-up is only a hint:
`ready` decides.
"""

import os
import select
import time
from _collections_abc import Callable
from _thread import start_new_thread

from palaver.model.limits import WAIT_POLL_SECONDS

_MODIFY, _ATTRIB, _MOVED_TO, _CREATE = 0x2, 0x4, 0x80, 0x100
_NONBLOCK, _CLOEXEC = 0o4000, 0o2000000
# The polling interval without inotify.
_BLIND_SECONDS = 0.05


class Watch:
    """A file descriptor that becomes readable when one of the watched paths changes."""

    __slots__ = ("_libc", "fd")

    def __init__(self) -> None:
        """Create a watch; `fd` is -1 if inotify is not available."""
        import ctypes

        self.fd = -1
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self.fd = self._libc.inotify_init1(_NONBLOCK | _CLOEXEC)
        except (OSError, AttributeError):
            return

    def add(self, path: str) -> int:
        """Watch a path too; return the number of the watch, -1 if it cannot be watched."""
        if self.fd < 0:
            return -1
        mask = _MODIFY | _ATTRIB | _MOVED_TO | _CREATE
        return int(self._libc.inotify_add_watch(self.fd, os.fsencode(path), mask))

    def sleep(self, seconds: float) -> None:
        """Sleep until a path changes, at most so many seconds."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        if poll.poll(max(0, int(seconds * 1000) + 1)):
            os.read(self.fd, 65_536)

    def close(self) -> None:
        """Release the watch."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def wait_until(ready: Callable[[], bool], paths: list[str], timeout: float) -> bool:
    """Return True as soon as `ready()` is true, False after so many seconds.

    The watch is set before the first check, so that no change is missed in between.
    """
    deadline = time.monotonic() + timeout
    watch = Watch()
    try:
        seeing = min(map(watch.add, paths), default=0) >= 0
        nap = WAIT_POLL_SECONDS if seeing else _BLIND_SECONDS
        while not ready():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            if watch.fd >= 0:
                watch.sleep(min(left, nap))
            else:
                time.sleep(min(left, nap))
        return True
    finally:
        # Elsewhere: the kernel takes 10 to 20 ms to close it, and somebody waits for us.
        start_new_thread(watch.close, ())
