"""Faults of the machine: calls that fail, disks that are full. Each says so when it cannot be had here."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE


def strace(*rules: str, path: Path | None = None, output: Path | None = None) -> list[str]:
    """Return the words to run a command under, so that its system calls go wrong by these rules.

    With a path, only calls on that file count; it must exist and be absolute, or nothing would happen.
    """
    program = shutil.which("strace")
    if program is None:
        pytest.skip("strace is not installed; it is needed to make system calls fail")
    words = [program, "-f", "-qq", "-o", str(output or os.devnull)]
    if path is not None:
        assert path.is_absolute()
        assert path.exists()
        words += ["-P", str(path)]
    for rule in rules:
        words += ["-e", f"trace={rule.partition(':')[0]}", "-e", f"inject={rule}"]
    return words


def root_only(what: str) -> None:
    """Skip, and say why, where we may not mount."""
    if os.geteuid():
        pytest.skip(f"{what} needs root, to mount a file system")


@contextmanager
def mounted(folder: Path, *words: str) -> Iterator[Path]:
    """Mount something on a new folder, and take it off again."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["mount", *words, str(folder)], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    if done.returncode:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        # Lazily: a log that a test still holds open keeps its files open too.
        subprocess.run(["umount", "--lazy", str(folder)], check=True, timeout=PATIENCE)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """Mount a disk in memory that holds so many bytes."""
    root_only("a small disk")
    with mounted(folder, "-t", "tmpfs", "-o", f"size={size},mode=700", "palaver-test") as disk:
        yield disk


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """Let nobody write to a disk for a while."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True, timeout=PATIENCE)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True, timeout=PATIENCE)


def fill(disk: Path, *, leave: int = 0) -> Path:
    """Fill a disk with one file but for so many bytes; return the file."""
    ballast = disk / "ballast"
    free = os.statvfs(disk)
    with ballast.open("wb") as file:
        file.write(b"b" * (free.f_bavail * free.f_bsize - leave))
    return ballast
