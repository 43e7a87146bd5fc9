"""Replacing a whole file that others may append to at the same moment.

The new content is written beside, synced, and moved into the place of the old file, which is kept in the
attic: what a writer that had it open still appends is found there, for a minute, and taken in.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os
import time
from _collections_abc import Iterator

from palaver.bus.root import Root
from palaver.model.limits import ATTIC_SECONDS
from palaver.model.value import Value


class Old(Value):
    """A file in the attic."""

    __slots__ = ("file", "mount", "over", "path", "size")

    def __init__(self, *, file: str, path: str, mount: str, size: int, over: bool) -> None:
        """Take what it is called as a source, its mount, and how long it was when it was replaced.

        `over` says that nobody can be writing to it any more.
        """
        self.file = file
        self.path = path
        self.mount = mount
        self.size = size
        self.over = over


def replace(root: Root, mount: str, path: str, content: bytes, size: int, *, known: str = "") -> bool:
    """Put content in the place of a file of which so many bytes are in the log; keep the old one.

    With `known`, only if it is still the file that has this mark; tell whether it was done.
    """
    lay(path, fresh := f"{path}.palaver-new", content, os.stat(path).st_mode & 0o777)
    os.makedirs(root.attic, mode=0o700, exist_ok=True)
    old = f"{root.attic}/{mount}@{size}@{time.time_ns()}@{os.path.basename(path)}"
    os.link(path, old)
    if known and known != marked(os.stat(old)):
        # Somebody has put another one there, or written to it, just now: that one is read first.
        os.unlink(old)
        os.unlink(fresh)
        return False
    from palaver.bus.replacing import settle

    os.rename(fresh, path)
    settle(os.path.dirname(path))
    return True


def marked(found: os.stat_result) -> str:
    """Return what a file is known by, as long as nobody writes to it."""
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"


def called(file: str) -> str:
    """Return what a source was called before it was put into the attic."""
    return file.rpartition("@")[2] if file.startswith("attic/") else file


def lay(path: str, fresh: str, content: bytes, mode: int) -> None:
    """Write content beside its place, whole and safe."""
    from palaver.bus.replacing import put

    assert os.path.dirname(path) == os.path.dirname(fresh), "a move within a folder is one step"
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        os.fchmod(fd, mode)
        put(fd, content)
    finally:
        os.close(fd)


def kept(root: Root) -> Iterator[Old]:
    """Yield the files of the attic."""
    try:
        names = sorted(os.listdir(root.attic))
    except OSError:
        return
    for name in names:
        mount, size, when, _ = (*name.split("@", 3), "", "", "")[:4]
        if size.isdecimal() and when.isdecimal():
            age = time.time_ns() - int(when)
            over = age > ATTIC_SECONDS * 1e9
            path = f"{root.attic}/{name}"
            yield Old(file=f"attic/{name}", path=path, mount=mount, size=int(size), over=over)


def is_ours(root: Root, inode: str) -> bool:
    """Tell whether a file of this number was replaced by us."""
    for old in kept(root):
        try:
            if str(os.stat(old.path).st_ino) == inode:
                return True
        except OSError:
            continue
    return False


def tidy(root: Root) -> None:
    """Let go of files that were kept and then not replaced: whoever wanted to died in between."""
    for old in kept(root):
        try:
            if os.stat(old.path).st_nlink > 1:
                clear(old)
        except OSError:
            continue


def clear(old: Old) -> None:
    """Take a file out of the attic."""
    try:
        os.unlink(old.path)
    except FileNotFoundError:
        return
