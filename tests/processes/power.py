"""A disk whose power can be cut: all that was not synced is gone when it comes back.

A file system in a file, mounted on a loop device, and shut down by the kernel's own means for such tests.
Writers must stand still at the cut: a sync that is under way would be acknowledged after the power is gone.
"""

import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.patience import PATIENCE
from tests.processes.faults import root_only

_SHUTDOWN: Final = 0x8004587D
_WITHOUT_FLUSHING_THE_JOURNAL: Final = 2
# xfs takes no less than this; the file has holes where nothing was written.
_IMAGE_BYTES: Final = 320 * 1024 * 1024


class Disk:
    """One file system, and where it is mounted."""

    def __init__(self, image: Path, folder: Path) -> None:
        self.folder = folder
        self._image = image

    def mount(self) -> None:
        """Mount it; its journal is replayed."""
        done = subprocess.run(
            ["mount", "-o", "loop", str(self._image), str(self.folder)],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        if done.returncode:
            pytest.skip(f"cannot mount a loop device here: {done.stderr.strip()}")

    def unmount(self) -> None:
        subprocess.run(["umount", str(self.folder)], check=True, timeout=PATIENCE)

    def cut(self) -> None:
        """Cut the power, now; nothing that is still in memory reaches the disk."""
        fd = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, _SHUTDOWN, struct.pack("I", _WITHOUT_FLUSHING_THE_JOURNAL))
        finally:
            os.close(fd)

    def come_back(self) -> None:
        """Switch the power on again; whoever had files open must be gone."""
        self.unmount()
        self.mount()


@contextmanager
def power(folder: Path, kind: str) -> Iterator[Disk]:
    """Make a disk of a kind (ext4, xfs), and take it away in the end."""
    root_only("cutting the power")
    program = shutil.which(f"mkfs.{kind}") or shutil.which(f"mkfs.{kind}", path="/usr/sbin:/sbin")
    if program is None:
        pytest.skip(f"mkfs.{kind} is not installed")
    image, place = folder / f"{kind}.img", folder / kind
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(_IMAGE_BYTES)
    subprocess.run([program, "-q", str(image)], check=True, capture_output=True, timeout=PATIENCE)
    disk = Disk(image, place)
    disk.mount()
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=PATIENCE)
        image.unlink()
