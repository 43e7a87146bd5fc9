"""The pulse: one file that grows by a byte whenever long-lived processes must look again.

Whoever changes the roster, or hangs a new bell, lets it beat. Whoever remembers something of either
asks for its length, which costs one system call, and forgets what it remembers when that has changed.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os

from palaver.files.regular import open_regular
from palaver.model.errors import StorageFailed

_BEATING = os.O_RDWR | os.O_CREAT | os.O_APPEND


class ChangeCounter:
    """One pulse, felt by one process."""

    __slots__ = ("_fd", "_path")

    def __init__(self, path: str) -> None:
        """Name the file; it is opened when it is first felt."""
        self._path = path
        self._fd = -1

    def __del__(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)

    def felt(self) -> int:
        """Return a number that changes with every beat."""
        try:
            if self._fd < 0:
                self._fd = self._opened()
            return os.lseek(self._fd, 0, os.SEEK_END)
        except OSError as fault:
            raise StorageFailed(
                f"cannot use {self._path}", fault.strerror or str(fault), "nothing was written; mend it"
            ) from fault

    def beat(self) -> None:
        """Let everyone look again."""
        fd = open_regular(self._path, _BEATING)
        try:
            os.write(fd, b".")
        finally:
            os.close(fd)

    def _opened(self) -> int:
        try:
            return open_regular(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return open_regular(self._path, os.O_RDONLY | os.O_CREAT)
