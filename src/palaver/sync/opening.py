"""Opening foreign files: only plain ones, never through a link, never so that it could hang.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import fcntl
import os
from stat import S_ISREG

from palaver.model.limits import FOREIGN_BYTES

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Unfit(Exception):
    """Raised for what lies in the place of a file and is none that we may read."""

    def __init__(self, code: str, why: str, fix: str) -> None:
        """Take a stable code, what is wrong, and the way out."""
        super().__init__(why)
        self.code = code
        self.why = why
        self.fix = fix


def opened(path: str) -> tuple[int, os.stat_result]:
    """Open a file for reading; raise `Unfit` for anything else, FileNotFoundError if it is gone."""
    try:
        fd = os.open(path, _READ)
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise _unfit(path, fault) from fault
    try:
        return fd, _judged(os.fstat(fd))
    except Unfit:
        os.close(fd)
        raise


def appending(path: str) -> tuple[int, os.stat_result]:
    """Open a file for appending, and make it if it is not there: as open to others as its folder is."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        fd = _made(path, os.stat(folder).st_mode & 0o666 or 0o600)
    except OSError as fault:
        raise _unfit(path, fault) from fault
    try:
        return fd, _judged(os.fstat(fd))
    except Unfit:
        os.close(fd)
        raise


def _made(path: str, mode: int) -> int:
    """Open a file for appending; if it is new, its mode is this one, whatever our own umask says."""
    try:
        fd = os.open(path, _WRITE | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        return os.open(path, _WRITE)
    os.fchmod(fd, mode)
    return fd


def is_being_written(fd: int) -> bool:
    """Tell whether somebody has a file open for writing, if the file system can say so."""
    return has_writer(fd) is True


def has_writer(fd: int) -> bool | None:
    """Return whether a program has a file open for writing; None if the file system cannot tell.

    The kernel gives a lease for reading only on a file that nobody writes to. Whoever opens it in that very
    moment waits until we let go; the signal that would tell us of him is one that nobody minds.
    """
    # Only who looks into an inbox, or into the attic, asks for it.
    from signal import SIGURG

    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def _judged(found: os.stat_result) -> os.stat_result:
    if not S_ISREG(found.st_mode):
        raise Unfit("not-a-file", "it is not a plain file", "put a file there")
    if found.st_nlink > 1:
        raise Unfit(
            "hard-linked", "it is also somewhere else (a hard link)", "copy it, and put the copy here"
        )
    if found.st_size > FOREIGN_BYTES:
        raise Unfit(
            "too-large", f"it is longer than {FOREIGN_BYTES} bytes", "start a new file, and archive this one"
        )
    return found


def _unfit(path: str, fault: OSError) -> Unfit:
    if os.path.islink(path):
        return Unfit("symlink", "it is a symbolic link", "put the file itself here, or mount its folder")
    return Unfit("unreadable", fault.strerror or str(fault), "mend it; it is tried again")
