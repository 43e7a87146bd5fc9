"""Open files safely: regular files only, and no symbolic link is followed.

Other people can put files into a bus or a project that you trust, for example with a `git pull`. A symbolic
link among them leads to any file of yours, a FIFO makes its reader wait forever, a device may have no end.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from stat import S_ISDIR, S_ISFIFO, S_ISLNK, S_ISREG

from palaver.model.errors import StorageFailed

# Without O_NONBLOCK, opening a FIFO waits for a process at its other end.
_SAFE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class NotRegular(OSError):
    """Raised instead of opening what is not a regular file; `kind` says what it is."""

    def __init__(self, path: str, mode: int) -> None:
        """Take the path, and the mode that lstat or fstat returned."""
        self.kind = kind_of(mode)
        self.is_link = S_ISLNK(mode)
        super().__init__(0, f"it is {self.kind}, not a regular file; remove it", path)


def open_regular(path: str, flags: int, mode: int = 0o600, *, folder: int | None = None) -> int:
    """Open a file and return its descriptor; raise `NotRegular` for links, FIFOs, devices and folders.

    With `folder`, a descriptor of a folder, the path is below that.
    """
    try:
        fd = os.open(path, flags | _SAFE, mode, dir_fd=folder)
    except OSError as fault:
        found = _mode_of(path, folder)
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


def find_link(base: str, relative: str) -> str:
    """Return the first part of a path below the base that is a symbolic link, or nothing."""
    path = base
    for part in relative.split("/"):
        path = f"{path}/{part}"
        try:
            if S_ISLNK(os.lstat(path).st_mode):
                return path
        except OSError:
            return ""
    return ""


def open_folder(base: str, relative: str, *, create: int = 0) -> int:
    """Open a folder below the base; with a mode in `create`, make the folders that are missing.

    Raise OSError (ELOOP) with a message that names the link, if there is one on the way.
    """
    fd = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in relative.split("/") if relative else ():
            if create:
                _make(part, create, fd)
            below = os.open(part, _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = below
    except OSError as fault:
        os.close(fd)
        raise _explained(base, relative, fault) from fault
    return fd


def open_file(base: str, relative: str, flags: int, mode: int = 0o600, *, create_folders: int = 0) -> int:
    """Open a regular file below the base; raise OSError for a link on the way and for anything else."""
    folder, _, name = relative.rpartition("/")
    parent = open_folder(base, folder, create=create_folders)
    try:
        return open_regular(name, flags, mode, folder=parent)
    except FileExistsError:
        raise
    except OSError as fault:
        raise _explained(base, relative, fault) from fault
    finally:
        os.close(parent)


def _mode_of(path: str, folder: int | None) -> int:
    try:
        return os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return 0


def kind_of(mode: int) -> str:
    """Return the words for what is not a regular file, by its mode."""
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
        f"nothing was written; {way_out(fault)}",
    )


def way_out(fault: Exception) -> str:
    """Return what to do about a fault of the disk."""
    from errno import EDQUOT, EFBIG, EMFILE, ENFILE, ENOSPC, EROFS

    known = {
        ENOSPC: "free some space and try again",
        EDQUOT: "free some space and try again",
        EFBIG: "raise the limit of the file size (ulimit -f) and try again",
        EMFILE: "raise the limit of open files (ulimit -n) and try again",
        ENFILE: "close some files and try again",
        EROFS: "make the disk writable and try again",
    }
    return known.get(getattr(fault, "errno", 0), "fix it and try again")


def _make(name: str, mode: int, parent: int) -> None:
    try:
        os.mkdir(name, mode, dir_fd=parent)
    except FileExistsError:
        # Whether it is a folder is seen when it is opened.
        return


def _explained(base: str, relative: str, fault: OSError) -> OSError:
    """Return the fault with a message that names the link, if that was the cause."""
    # Nothing that a send opens comes here.
    from errno import ELOOP

    link = find_link(base, relative)
    return OSError(ELOOP, f"{link} is a symbolic link") if link else fault
