"""Open the files of a bus: regular files only, and no symbolic link is followed.

Other people can put files into a bus that you trust, for example with a `git pull`. A symbolic link among
them leads to any file of yours, a FIFO makes its reader wait forever, and a device may have no end.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from stat import S_ISDIR, S_ISFIFO, S_ISLNK, S_ISREG

from palaver.model.errors import StorageFailed

# Without O_NONBLOCK, opening a FIFO waits for a process at its other end.
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NotRegular(OSError):
    """Raised instead of opening what is not a regular file; `kind` says what it is."""

    def __init__(self, path: str, mode: int) -> None:
        """Take the path, and the mode that lstat or fstat returned."""
        self.kind = _kind_of(mode)
        super().__init__(0, f"it is {self.kind}, not a regular file; remove it", path)


def open_regular(path: str, flags: int, mode: int = 0o600) -> int:
    """Open a file and return its descriptor; raise `NotRegular` for links, FIFOs, devices and folders."""
    try:
        fd = os.open(path, flags | _SAFE, mode)
    except OSError as fault:
        found = _mode_of(path)
        if found and not S_ISREG(found):
            raise NotRegular(path, found) from fault
        raise
    found = os.fstat(fd).st_mode
    if S_ISREG(found):
        return fd
    os.close(fd)
    raise NotRegular(path, found)


def size_of(path: str) -> int:
    """Return the size of a regular file; raise `NotRegular` for anything else."""
    found = os.lstat(path)
    if not S_ISREG(found.st_mode):
        raise NotRegular(path, found.st_mode)
    return found.st_size


def _mode_of(path: str) -> int:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def _kind_of(mode: int) -> str:
    if S_ISLNK(mode):
        return "a symbolic link"
    if S_ISDIR(mode):
        return "a folder"
    return "a FIFO" if S_ISFIFO(mode) else "a device or a socket"


def storage_failed(fault: OSError, path: str) -> StorageFailed:
    """Return a fault of the disk as a refusal."""
    return StorageFailed(
        f"cannot use {fault.filename or path}",
        fault.strerror or str(fault),
        "nothing was written; mend it and try again",
    )
