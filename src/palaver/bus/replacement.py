"""Writing a whole file so that it is the old one or the new one, never half of either."""

import os

from palaver.log.regular import open_regular
from palaver.model.errors import StorageFailed


def replace(path: str, data: bytes) -> None:
    """Write a whole file so that others see the old one or the new one, even after a power cut."""
    fresh = f"{path}.{os.getpid()}"
    try:
        fd = open_regular(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            put(fd, data)
            os.rename(fresh, path)
        except OSError:
            # The disk may be full: what is of no use takes no room.
            os.unlink(fresh)
            raise
        finally:
            os.close(fd)
        settle(os.path.dirname(path))
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {fault.filename or path}", fault.strerror or str(fault), "mend it and try again"
        ) from fault


def put(fd: int, content: bytes) -> None:
    """Write all of it, and make it safe."""
    written = 0
    while written < len(content):
        written += os.write(fd, content[written:])
    os.fsync(fd)


def settle(folder: str) -> None:
    """Make the names of a folder safe: what was made in it, or moved."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
