"""Replace a file as a whole: other programs see the old content or the new one, never half of either."""

import os
from threading import get_ident

from palaver.files.regular import open_regular, way_out
from palaver.model.errors import StorageFailed


def replace(path: str, data: bytes) -> None:
    """Replace a file, also across a power cut; refuse if that cannot be done."""
    try:
        write_whole(path, data)
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {fault.filename or path}", fault.strerror or str(fault), way_out(fault)
        ) from fault


def write_whole(path: str, data: bytes, *, mode: int = 0o600, is_durable: bool = True) -> None:
    """Replace a file; without `is_durable`, a power cut may take the change back."""
    fresh = f"{path}.{os.getpid()}.{get_ident()}"
    fd = open_regular(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        os.fchmod(fd, mode)
        put(fd, data, is_durable=is_durable)
        os.rename(fresh, path)
    except OSError:
        # The disk may be full: what is of no use takes no room.
        os.unlink(fresh)
        raise
    finally:
        os.close(fd)
    if is_durable:
        sync_folder(os.path.dirname(path))


def put(fd: int, content: bytes, *, is_durable: bool = True) -> None:
    """Write all of the content, and sync it."""
    written = 0
    while written < len(content):
        written += os.write(fd, content[written:])
    if is_durable:
        os.fsync(fd)


def sync_folder(folder: str) -> None:
    """Sync the names in a folder: files that were made in it, or moved."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
