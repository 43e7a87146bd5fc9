"""Watches on folders: a hint that something changed there, so that the files are scanned again."""

import os
import select
import struct
import time
from collections.abc import Iterable

from palaver.log.file_watch import Watch

_HEAD = struct.Struct("iIII")
_OVERFLOW, _IGNORED, _IS_FOLDER = 0x4000, 0x8000, 0x40000000


class Folders:
    """Watches folders; those for which the kernel gives no watch must be polled."""

    def __init__(self) -> None:
        """Ask the kernel for a watch."""
        self._watch = Watch()
        self._paths: dict[int, str] = {}
        #: Whether a folder came or went since they were last covered.
        self.stale = True
        #: Folders that cannot be watched: there is a limit, and network file systems report nothing.
        self.blind: set[str] = set()

    @property
    def fd(self) -> int:
        """Return the descriptor that becomes readable when something changed; -1 if there is none."""
        return self._watch.fd

    def cover(self, paths: Iterable[str]) -> bool:
        """Watch these folders; return True if one of them is new: its earlier changes were not reported."""
        self.stale = False
        self.blind = set()
        before = len(self._paths)
        for path in sorted(set(paths)):
            number = self._watch.add(path)
            if number >= 0:
                self._paths[number] = path
            elif os.path.isdir(path):
                self.blind.add(path)
        return len(self._paths) > before

    def has_news(self) -> bool:
        """Return True if a change is to be reported, or cannot be known."""
        if self._watch.fd < 0 or self.blind or self.stale:
            return True
        poll = select.poll()
        poll.register(self._watch.fd, select.POLLIN)
        return bool(poll.poll(0))

    def changed(self) -> set[str] | None:
        """Return the folders that changed; None if all must be scanned."""
        found: set[str] = set()
        if self._watch.fd < 0:
            return None
        try:
            content = os.read(self._watch.fd, 1 << 20)
        except BlockingIOError:
            return found
        place = 0
        while place + _HEAD.size <= len(content):
            number, mask, _, length = _HEAD.unpack_from(content, place)
            place += _HEAD.size + length
            if mask & (_OVERFLOW | _IGNORED | _IS_FOLDER):
                self.stale = True
            if mask & _IGNORED:
                self._paths.pop(number, None)
            elif number in self._paths:
                found.add(self._paths[number])
        return None if self.stale else found

    def close(self) -> None:
        """Close the watch."""
        self._watch.close()


def sleep(fds: Iterable[int], seconds: float) -> set[int]:
    """Sleep until one of these is readable, at most so long; return which."""
    poll = select.poll()
    some = [fd for fd in fds if fd >= 0]
    for fd in some:
        poll.register(fd, select.POLLIN)
    if not some:
        time.sleep(seconds)
        return set()
    return {fd for fd, _ in poll.poll(max(0, int(seconds * 1000)))}
