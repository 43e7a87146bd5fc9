"""Files that were replaced, kept for programs that still write to them.

A program that opened a file before it was replaced goes on writing to the old one. The old file is kept
until no program can write to it any more. Lines that it gains are recorded (`intake/replaced_file_intake.py`)
and copied to the file that replaced it (`render/debts.py`). `render/replacement.py` replaces files.

An entry is named after all that is known of a replacement, so that the process that made it may die at any
moment:

    <mount>@<size>@<digest>@<new size>@<new digest>@<new inode>@<time>@<file>

`size` and `digest` describe the content that was replaced, the other three the file that replaced it. The new
file is prepared under this name, and then the entry and the file are exchanged in one step. So an entry
holds the old file, unless it has the inode of the new one.
"""

import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b

from palaver.bus.root import Root
from palaver.model.event import REPLACED, original_file
from palaver.model.limits import CHUNK_BYTES

#: The folder for them in a mount on another file system than the bus: files cannot be moved between the two.
BESIDE = ".palaver-attic"
#: How the name of a file begins that is being prepared.
UNFINISHED = "new@"
# Six numbers in hexadecimal; the last field may hold any character.
_ENTRY = re.compile(rf"([^@]+){'@([0-9a-f]+)' * 6}@(.+)", re.DOTALL)
_NAME_BYTES = 255
_DIGEST = 8
# Stands before the hash of a path that is too long to be part of a name.
_HASHED = "~"


class Fingerprint:
    """Size and hash of a content, blanks included, that is taken in pieces."""

    def __init__(self, content: bytes = b"") -> None:
        """Take the first piece."""
        self.size = len(content)
        self._hash = blake2b(content, digest_size=_DIGEST)

    def update(self, piece: bytes) -> None:
        """Add a piece."""
        self.size += len(piece)
        self._hash.update(piece)

    @property
    def digest(self) -> str:
        """Return the hash of all pieces."""
        return self._hash.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedFile:
    """One replaced file, as the name of its entry describes it."""

    #: The path of the entry.
    path: str
    mount: str
    size: int
    digest: str
    fresh_size: int
    fresh_digest: str
    #: The inode of the file that was put in its place.
    inode: int
    #: When it was replaced, in nanoseconds.
    at: int
    spelled: str

    @property
    def age(self) -> float:
        """Return for how many seconds it has been replaced."""
        return (time.time_ns() - self.at) / 1e9

    @property
    def held_inode(self) -> int:
        """Return the inode of the file that the entry holds; 0 if it is gone."""
        with suppress(OSError):
            return os.lstat(self.path).st_ino
        return 0

    @property
    def source(self) -> str:
        """Return the name of the entry as a source."""
        return REPLACED + os.path.basename(self.path)

    def known(self, found: os.stat_result) -> tuple[int, str]:
        """Return size and digest of the content that the file in this entry had when it was replaced."""
        if found.st_ino == self.inode:
            # It is the new one, and was taken away again.
            return self.fresh_size, self.fresh_digest
        return self.size, self.digest

    def is_replaced_by(self, fd: int) -> bool:
        """Return True if an open file begins with what was put in the place of the replaced one.

        Else another program has changed or replaced that since.
        """
        return digest_of(fd, self.fresh_size) == self.fresh_digest

    def file(self, candidates: Iterable[str] = ()) -> str:
        """Return the path of the replaced file in its mount; one with a long path is among `candidates`."""
        if not self.spelled.startswith(_HASHED):
            return original_file(self.source)
        return next((each for each in candidates if _hash_of(each) == self.spelled), "")


def folder_of(root: Root, mount: str, path: str) -> str:
    """Return the folder for entries: that of the bus, or one in a mount on another file system."""
    os.makedirs(root.attic, mode=0o700, exist_ok=True)
    if os.stat(root.attic).st_dev == os.stat(os.path.dirname(path)).st_dev:
        return root.attic
    beside = f"{mount}/{BESIDE}"
    os.makedirs(beside, mode=0o700, exist_ok=True)
    if os.path.islink(beside):
        raise NotADirectoryError(0, "it is a symbolic link, not a folder; remove it", beside)
    return beside


def entry_name(mount: str, file: str, old: Fingerprint, new: Fingerprint, inode: int) -> str:
    """Return the name of an entry: what was replaced, and what by."""
    sizes = (f"{old.size:x}", old.digest, f"{new.size:x}", new.digest)
    parts = (*sizes, f"{inode:x}", f"{time.time_ns():x}")
    name = "@".join((mount, *parts, _escaped(file)))
    if len(os.fsencode(name)) > _NAME_BYTES:
        name = "@".join((mount, *parts, _hash_of(file)))
    return name


def entries(root: Root, mount: str, path: str) -> list[ReplacedFile]:
    """Return the replaced files of a mount, oldest first; `path` is its folder."""
    return _parse_entries(_paths(root, path), mount)


def tidy(root: Root, mount: str, path: str) -> list[ReplacedFile]:
    """Remove what a process left behind that died before it had replaced a file; return the other entries.

    These are new files that were not finished, and second links to files that are still in their place.
    """
    found = _paths(root, path)
    for entry in found:
        with suppress(OSError):
            if os.path.basename(entry).startswith(UNFINISHED) or os.lstat(entry).st_nlink > 1:
                os.unlink(entry)
    return _parse_entries(filter(os.path.lexists, found), mount) if found else []


def _parse_entries(paths: Iterable[str], mount: str) -> list[ReplacedFile]:
    parsed = filter(None, map(parse_entry, paths))
    return sorted((old for old in parsed if old.mount == mount), key=lambda old: old.at)


def parse_entry(path: str) -> ReplacedFile | None:
    """Return what the name of an entry says, None if it is not one of ours."""
    match = _ENTRY.fullmatch(os.path.basename(path))
    if match is None:
        return None
    mount, size, digest, fresh_size, fresh_digest, inode, at, spelled = match.groups()
    return ReplacedFile(
        path=path,
        mount=mount,
        size=int(size, 16),
        digest=digest,
        fresh_size=int(fresh_size, 16),
        fresh_digest=fresh_digest,
        inode=int(inode, 16),
        at=int(at, 16),
        spelled=spelled,
    )


def remove(path: str) -> None:
    """Remove an entry, if it is still there."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def digest_of(fd: int, size: int) -> str:
    """Return the hash of the first bytes of an open file, read in pieces; empty if it is shorter."""
    found = Fingerprint()
    while found.size < size and (piece := os.pread(fd, min(CHUNK_BYTES, size - found.size), found.size)):
        found.update(piece)
    return found.digest if found.size == size else ""


def _paths(root: Root, path: str) -> list[str]:
    """Return the paths of all entries in the folder of the bus, and in that of a mount."""
    found: list[str] = []
    for folder in (root.attic, f"{path}/{BESIDE}"):
        # The files in a folder elsewhere are no entries, and not ours to remove.
        if os.path.isdir(folder) and not os.path.islink(folder):
            found += [f"{folder}/{name}" for name in os.listdir(folder)]
    return found


def _escaped(file: str) -> str:
    return file.replace("%", "%25").replace("/", "%2F")


def _hash_of(file: str) -> str:
    return _HASHED + Fingerprint(os.fsencode(file)).digest
