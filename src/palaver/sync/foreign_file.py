"""Files of mounts, opened for reading or appending: only regular ones that belong to one place."""

import fcntl
import os
import time
from signal import SIGURG

from palaver.files.regular import NotRegular, open_regular
from palaver.model.limits import FOREIGN_BYTES, QUIET_SECONDS

_APPEND = os.O_RDWR | os.O_APPEND


class Unfit(Exception):
    """Raised for something in the place of a file that the bus may not read."""

    def __init__(self, code: str, why: str, fix: str) -> None:
        """Take a stable code, what is wrong, and the way out."""
        super().__init__(why)
        self.code = code
        self.why = why
        self.fix = fix


def open_to_read(path: str) -> tuple[int, os.stat_result]:
    """Open a file for reading; raise `Unfit` for anything else, FileNotFoundError if it is gone."""
    try:
        fd = open_regular(path, os.O_RDONLY)
    except FileNotFoundError:
        raise
    except OSError as fault:
        raise _unfit(fault) from fault
    return fd, _judged(fd)


def read_span(path: str, offset: int = 0, length: int = FOREIGN_BYTES) -> tuple[bytes, os.stat_result]:
    """Return bytes of a file, by default all of them, and its status; raise as `open_to_read` does."""
    fd, found = open_to_read(path)
    try:
        return os.pread(fd, min(length, found.st_size), offset), found
    finally:
        os.close(fd)


def end_line(path: str) -> None:
    """Append the newline that a program left out."""
    fd, _ = open_to_append(path)
    try:
        os.write(fd, b"\n")
    finally:
        os.close(fd)


def open_to_append(path: str) -> tuple[int, os.stat_result]:
    """Open a file for reading and appending, and create it if it does not exist."""
    try:
        try:
            fd = open_regular(path, _APPEND)
        except FileNotFoundError:
            fd = _create(path)
    except OSError as fault:
        raise _unfit(fault) from fault
    return fd, _judged(fd)


def _create(path: str) -> int:
    """Create a file: as open to others as its folder, whatever our own umask says."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    try:
        fd = open_regular(path, _APPEND | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        # Another program has created it in the meantime.
        return open_regular(path, _APPEND)
    os.fchmod(fd, os.stat(folder).st_mode & 0o666 or 0o600)
    return fd


def is_quiet(found: os.stat_result) -> bool:
    """Return True if a file was not written to for a while; a time in the future says nothing."""
    age = time.time() - found.st_mtime
    return age >= QUIET_SECONDS or age < -QUIET_SECONDS


def is_whole(found: os.stat_result) -> bool:
    """Return True if a dropped file is finished: moved here once it was written, or left alone since."""
    return found.st_ctime_ns > found.st_mtime_ns or is_quiet(found)


def has_writer(fd: int) -> bool | None:
    """Return whether a program has a file open for writing; None if the file system cannot tell.

    The kernel gives a lease for reading only on a file that no program writes to. A program that opens it at
    that moment waits until the lease ends; the signal that would tell us of it is ignored by default.
    """
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False


def _judged(fd: int) -> os.stat_result:
    """Return what is known of an open file; close it and raise `Unfit` if the bus may not use it."""
    found = os.fstat(fd)
    unfit = None
    if found.st_nlink > 1:
        unfit = Unfit(
            "hard-linked", "it is also somewhere else (a hard link)", "copy it, and put the copy here"
        )
    elif found.st_size > FOREIGN_BYTES:
        unfit = Unfit(
            "too-large", f"it is longer than {FOREIGN_BYTES} bytes", "start a new file, and archive this one"
        )
    if unfit is not None:
        os.close(fd)
        raise unfit
    return found


def _unfit(fault: OSError) -> Unfit:
    if not isinstance(fault, NotRegular):
        return Unfit("unreadable", fault.strerror or str(fault), "mend it; it is tried again")
    if fault.is_link:
        return Unfit("symlink", "it is a symbolic link", "put the file itself here, or mount its folder")
    return Unfit("not-a-file", "it is not a plain file", "put a file there")
