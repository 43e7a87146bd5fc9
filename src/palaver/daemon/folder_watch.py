"""Being told which folders changed. A hint, never the truth: whoever is told looks for himself."""

import os
import select
import struct
import time
from collections.abc import Iterable

from palaver.log.file_watch import Watch

_HEAD = struct.Struct("iIII")
_OVERFLOW, _IGNORED, _IS_FOLDER = 0x4000, 0x8000, 0x40000000


class Folders:
    """Watches folders; where the kernel gives no watch, whoever asks has to look by himself."""

    def __init__(self) -> None:
        """Ask the kernel for a watch."""
        self._watch = Watch()
        self._paths: dict[int, str] = {}
        #: Whether a folder came or went since they were last covered.
        self.stale = True
        #: Folders that cannot be watched, with no reason given: limits, or a network file system.
        self.blind: set[str] = set()

    @property
    def fd(self) -> int:
        """Return what becomes readable when something changed; -1 if nothing can."""
        return self._watch.fd

    def cover(self, paths: Iterable[str]) -> bool:
        """Watch these folders; tell whether one of them was not watched before.

        Nobody said what happened in such a one until now.
        """
        self.stale = False
        self.blind = set()
        before = len(self._paths)
        for path in sorted(set(paths)):
            number = self._watch.place(path)
            if number >= 0:
                self._paths[number] = path
            elif os.path.isdir(path):
                self.blind.add(path)
        return len(self._paths) > before

    def changed(self) -> set[str] | None:
        """Return the folders that changed; None if that can only be found out by looking."""
        found: set[str] = set()
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
        """Give the watch back."""
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
