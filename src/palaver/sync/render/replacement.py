"""Replacement of a whole file that other programs append to, or save, at any moment.

The new file and the old one are exchanged in one step (`renameat2`), so at each moment there is a file in the
place, and the old one is kept (`replaced_files.py`) with every byte that was ever written to it. Only then is
the old file compared with the content that the new one was made from:

- If it has only gained whole lines, the next pass adds those to the new file (`debts.py`).
- If it was changed in any other way, or is another file, then another program saved it in the meantime. The
  two are exchanged again, and that program's file is read first.

On a file system that cannot exchange two files, the old one is linked into the folder of replaced files and
compared there, then the new one is moved into its place. A save by rename between these two steps is lost.
"""

import ctypes
import errno
import os
import time
from collections.abc import Iterable
from contextlib import suppress

from palaver.bus.root import Root
from palaver.files.atomic_replace import put, sync_folder
from palaver.sync import replaced_files
from palaver.sync.folded_file import FoldedFile
from palaver.sync.foreign_file import Unfit
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.replaced_files import Fingerprint, ReplacedFile

_AT_FDCWD = -100
_NOREPLACE, _EXCHANGE = 1, 2
# What a kernel, a file system or a C library says that has no such call.
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTTY, errno.EOPNOTSUPP)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Unsupported(Exception):
    """Raised if a file system cannot rename with these flags."""


def replace(root: Root, mounted: MountPoint, file: str, old: FoldedFile, new: bytes, *, grows: bool) -> bool:
    """Replace a file that was read as `old`; return False if it was saved by others in the meantime.

    The new content may have stand-ins of the old one. With `grows`, lines that were appended in the
    meantime are no reason not to replace it: they are added to the new file later.
    """
    path = mounted.full(file)
    before = old.fingerprint
    unfinished, after, inode = _prepare(root, mounted, path, old.unfolded(new), like=old)
    entry = replaced_files.entry_name(mounted.name, file, before, after, inode)
    entry = f"{os.path.dirname(unfinished)}/{entry}"
    os.rename(unfinished, entry)
    try:
        _rename(entry, path, _EXCHANGE)
    except Unsupported:
        return _replace_by_link(entry, path, before, grows=grows)
    except FileNotFoundError:
        # The file was deleted.
        replaced_files.remove(entry)
        return False
    is_done = is_unchanged(entry, before.size, before.digest, grows=grows)
    if not is_done:
        _exchange_again(entry, path, inode)
    sync_folder(os.path.dirname(path))
    sync_folder(os.path.dirname(entry))
    return is_done


def create(root: Root, mounted: MountPoint, file: str, content: bytes) -> bool:
    """Create a file; return False if there is one by now."""
    path = mounted.full(file)
    unfinished, *_ = _prepare(root, mounted, path, [content])
    try:
        try:
            _rename(unfinished, path, _NOREPLACE)
        except Unsupported:
            os.link(unfinished, path)
    except FileExistsError:
        return False
    finally:
        replaced_files.remove(unfinished)
    sync_folder(os.path.dirname(path))
    return True


def check_owner(old: FoldedFile) -> None:
    """Raise `Unfit` if a file would not belong to its owner and its group any more once it is replaced."""
    groups = {os.getegid(), *os.getgroups()}
    is_ours = old.found.st_uid == os.geteuid() and old.found.st_gid in groups
    if not is_ours and os.geteuid() != 0:
        why = "it is not brought up to date: it belongs to another user or group, who would lose it"
        fix = "give it to the user of the bus (chown), or run palaver as its owner"
        raise Unfit("not-ours", f"{why}; {fix}", fix)


def restore(old: ReplacedFile, path: str) -> None:
    """Put the old file back, unless another program has replaced the new one."""
    with suppress(Unsupported):
        _exchange_again(old.path, path, old.inode)
        sync_folder(os.path.dirname(path))


def is_unchanged(path: str, size: int, digest: str, *, grows: bool) -> bool:
    """Return True if a file has the content that it had; with `grows`, whole lines may follow that."""
    try:
        fd = os.open(path, _READ)
    except OSError:
        return False
    try:
        end = os.fstat(fd).st_size
        has_gained_lines = grows and end > size and os.pread(fd, 1, end - 1) == b"\n"
        return (end == size or has_gained_lines) and replaced_files.digest_of(fd, size) == digest
    except OSError:
        # It is a folder now.
        return False
    finally:
        os.close(fd)


def begins_with(path: str, size: int, digest: str) -> bool:
    """Return True if a file begins with so many bytes that have this digest."""
    try:
        fd = os.open(path, _READ)
        try:
            return replaced_files.digest_of(fd, size) == digest
        finally:
            os.close(fd)
    except OSError:
        # It is a link now, or a folder, or gone.
        return False


def _prepare(
    root: Root, mounted: MountPoint, path: str, content: Iterable[bytes], *, like: FoldedFile | None = None
) -> tuple[str, Fingerprint, int]:
    """Write a new file among the replaced ones, and sync it; return its path, what it has, and its inode.

    It has the owner, the group, the mode and the attributes of the file that it is to replace; one that
    replaces none is as open as its folder.
    """
    mode = like.found.st_mode & 0o777 if like else os.stat(os.path.dirname(path)).st_mode & 0o666 or 0o600
    folder = replaced_files.folder_of(root, mounted.path, path)
    unfinished = f"{folder}/{replaced_files.UNFINISHED}{os.getpid()}@{time.time_ns()}"
    fd = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        if like:
            _keep_owner(fd, like)
        os.fchmod(fd, mode)
        if like:
            _keep_attributes(fd, like)
        written = Fingerprint()
        for piece in content:
            put(fd, piece, is_durable=False)
            written.update(piece)
        os.fsync(fd)
        return unfinished, written, os.fstat(fd).st_ino
    except OSError:
        # The disk may be full.
        os.unlink(unfinished)
        raise
    finally:
        os.close(fd)


def _keep_owner(fd: int, like: FoldedFile) -> None:
    owner, found = (like.found.st_uid, like.found.st_gid), os.fstat(fd)
    if owner != (found.st_uid, found.st_gid):
        os.fchown(fd, *owner)


def _keep_attributes(fd: int, like: FoldedFile) -> None:
    """Copy extended attributes, such as access control lists, as far as that is allowed."""
    for name, value in like.attributes():
        with suppress(OSError):
            os.setxattr(fd, name, value)


def _exchange_again(entry: str, path: str, inode: int) -> None:
    """Put back what another program saved; what it saved after that is newer, and stays."""
    with suppress(FileNotFoundError):
        if os.lstat(path).st_ino == inode:
            _rename(entry, path, _EXCHANGE)
            if os.lstat(entry).st_ino != inode:
                # Saved between these two calls.
                _rename(entry, path, _EXCHANGE)


def _replace_by_link(entry: str, path: str, old: Fingerprint, *, grows: bool) -> bool:
    """Replace a file where two cannot be exchanged."""
    folder = os.path.dirname(entry)
    fresh = f"{folder}/{replaced_files.UNFINISHED}{os.getpid()}@{time.time_ns()}"
    os.rename(entry, fresh)
    try:
        os.link(path, entry, follow_symlinks=False)
        if is_unchanged(entry, old.size, old.digest, grows=grows):
            os.rename(fresh, path)
            sync_folder(os.path.dirname(path))
            sync_folder(folder)
            return True
        os.unlink(entry)
    except FileNotFoundError:
        # The file was deleted.
        pass
    replaced_files.remove(fresh)
    return False


def _rename(source: str, target: str, flags: int) -> None:
    """Rename as `renameat2` does; raise `Unsupported` if that cannot be done here."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError) as fault:
        raise Unsupported from fault
    if call(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), flags) == 0:
        return
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        raise Unsupported
    raise OSError(code, os.strerror(code), source, None, target)
