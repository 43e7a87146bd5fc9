"""Writing a whole file so that it is the old one or the new one, never half of either."""

import os

from palaver.model.errors import StorageFailed


def replace(path: str, data: bytes) -> None:
    """Write a whole file so that others see the old one or the new one, even after a power cut."""
    fresh = f"{path}.{os.getpid()}"
    try:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        os.rename(fresh, path)
        directory = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {path}", fault.strerror or str(fault), "mend it and try again"
        ) from fault
