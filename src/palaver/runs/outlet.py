"""Our own standard output, to which a program's output is copied without ever blocking.

A slow reader, or a stopped terminal, must not keep us from handling signals and ending the program in time.
So a pipe or a terminal gets no more at a time than it takes without blocking; and when too much is buffered,
the program is made to wait instead.
"""

import os
from stat import S_ISREG
from typing import Final

# What a writable pipe takes without blocking.
_PIECE_BYTES: Final = 4_096
_BUFFER_BYTES: Final = 1 << 20


class Outlet:
    """One stream of ours."""

    def __init__(self, fd: int) -> None:
        """Take its file descriptor."""
        self.fd = fd
        self._buffer = bytearray()
        self._is_gone = False
        try:
            self._piece = 1 << 30 if S_ISREG(os.fstat(fd).st_mode) else _PIECE_BYTES
        except OSError:
            self._piece, self._is_gone = _PIECE_BYTES, True

    @property
    def has_pending(self) -> bool:
        """Return True if there is something to write."""
        return bool(self._buffer)

    @property
    def is_full(self) -> bool:
        """Return True if no more must be added."""
        return len(self._buffer) >= _BUFFER_BYTES

    def put(self, piece: bytes) -> None:
        """Add what is to be written."""
        if not self._is_gone:
            self._buffer += piece

    def write(self) -> None:
        """Write what can be written now; a reader that went away is no error, and gets no more."""
        try:
            written = os.write(self.fd, memoryview(bytes(self._buffer[: self._piece])))
        except BlockingIOError:
            return
        except OSError:
            self._is_gone = True
            self._buffer.clear()
            return
        del self._buffer[:written]
