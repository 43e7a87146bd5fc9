"""Opening files below a folder so that no symbolic link leads out of it.

The files of a project come from elsewhere: a link among them could lead a write to any file of the user.
Every part of a path below the base is opened without following links. The base itself may be a link.
"""

import os
from errno import EINVAL, ELOOP
from stat import S_ISLNK, S_ISREG

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A FIFO without a reader would block the open forever.
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


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
        fd = os.open(name, flags | _FILE, mode, dir_fd=parent)
    except FileExistsError:
        raise
    except OSError as fault:
        raise _explained(base, relative, fault) from fault
    finally:
        os.close(parent)
    if not S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(EINVAL, f"{base}/{relative} is not a regular file")
    return fd


def _make(name: str, mode: int, parent: int) -> None:
    try:
        os.mkdir(name, mode, dir_fd=parent)
    except FileExistsError:
        # Whether it is a folder is seen when it is opened.
        return


def _explained(base: str, relative: str, fault: OSError) -> OSError:
    """Return the fault with a message that names the link, if that was the cause."""
    link = find_link(base, relative)
    return OSError(ELOOP, f"{link} is a symbolic link") if link else fault
