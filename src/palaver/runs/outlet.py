"""Our own standard output, as the place where a program's goes: never waited for.

A reader that is slow, or a terminal that was stopped, must not keep us from hearing signals and ending the
program in time. So a pipe or a terminal gets no more at a time than it takes without making us wait; and
when too much has gathered, the program is made to wait instead.
"""

import os
from stat import S_ISREG
from typing import Final

# What a pipe that can be written takes without blocking.
_PIECE_BYTES: Final = 4_096
_GATHERED_BYTES: Final = 1 << 20


class Outlet:
    """One stream of ours."""

    def __init__(self, fd: int) -> None:
        """Take its number."""
        self.fd = fd
        self._gathered = bytearray()
        self._gone = False
        try:
            self._piece = 1 << 30 if S_ISREG(os.fstat(fd).st_mode) else _PIECE_BYTES
        except OSError:
            self._piece, self._gone = _PIECE_BYTES, True

    @property
    def waits(self) -> bool:
        """Tell whether there is something to write."""
        return bool(self._gathered)

    @property
    def full(self) -> bool:
        """Tell whether more must not come."""
        return len(self._gathered) >= _GATHERED_BYTES

    def put(self, piece: bytes) -> None:
        """Take what is to be written."""
        if not self._gone:
            self._gathered += piece

    def write(self) -> None:
        """Write what can be written now; a reader that went away is no error, and hears no more."""
        try:
            written = os.write(self.fd, memoryview(bytes(self._gathered[: self._piece])))
        except BlockingIOError:
            return
        except OSError:
            self._gone = True
            self._gathered.clear()
            return
        del self._gathered[:written]
