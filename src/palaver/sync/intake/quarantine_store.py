"""The quarantine: bytes of mounted files that could not be parsed, kept as they were."""

import os
from dataclasses import dataclass, field
from stat import S_ISREG

from palaver.bus.root import Root
from palaver.files.atomic_replace import put, sync_folder
from palaver.files.regular import open_regular
from palaver.model.limits import CHUNK_BYTES, ENTRY_BYTES, ENTRY_LINES, QUARANTINE_BYTES, SEGMENT_BYTES

#: The code of lines that are unreadable for different reasons and alternate.
MIXED = "mixed-junk"


@dataclass(slots=True)
class OpenEntry:
    """The entry that unparsable lines of a file join while a pass reads it, even with other lines in between.

    Without that, junk that alternates with messages would be an entry for each line. Lines that are
    unreadable for another reason are another entry.
    """

    name: str = ""
    lines: int = 0
    size: int = 0
    #: How many runs of lines it has.
    places: int = 0
    #: The authors that are told of it.
    authors: set[str] = field(default_factory=set)

    def add(self, name: str, lines: int, size: int) -> None:
        """Add a run of lines; begin another entry, with a name, if it does not fit into this one."""
        is_full = self.lines + lines > ENTRY_LINES or self.size + size > ENTRY_BYTES
        if is_full or not self.name:
            self.name, self.lines, self.size, self.places = name, 0, 0, 0
        if is_full:
            self.authors = set()
        self.lines += lines
        self.size += size
        self.places += 1


class QuarantineStore:
    """Keeps quarantined bytes, end to end, in a few numbered files of the quarantine folder.

    One file per entry would cost a sync for each of them, and a folder that takes ever longer to add up.
    Only the holder of `sync.lock` writes there, so an offset can be given before the bytes are written.
    """

    def __init__(self, root: Root) -> None:
        """Take the bus; nothing is opened yet."""
        self._folder = root.quarantine
        self._waiting = bytearray()
        # The file that is appended to, the next offset in it, and how many bytes there is room for.
        self._file = ""
        self._offset = 0
        self._room = 0

    def add(self, content: bytes) -> dict[str, object]:
        """Keep bytes; return where, for the event that quarantines them: nothing if there is no room left."""
        if not self._file:
            self._open()
        if len(content) > self._room:
            return {}
        place: dict[str, object] = {"in": self._file, "at": self._offset, "len": len(content)}
        self._waiting += content
        self._offset += len(content)
        self._room -= len(content)
        if len(self._waiting) > CHUNK_BYTES:
            self.flush()
        return {"kept": place}

    def flush(self) -> None:
        """Write and sync the bytes that wait: before the log speaks of them."""
        file, self._file = self._file, ""
        waiting, self._waiting = self._waiting, bytearray()
        if not waiting:
            return
        path = f"{self._folder}/{file}"
        is_new = not os.access(path, os.F_OK)
        fd = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            put(fd, bytes(waiting))
        finally:
            os.close(fd)
        if is_new:
            sync_folder(self._folder)

    def _open(self) -> None:
        """Find the file to append to, and how much room is left."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with os.scandir(self._folder) as entries:
            found = {entry.name: entry.stat(follow_symlinks=False) for entry in entries}
        sizes = {name: each.st_size for name, each in found.items() if S_ISREG(each.st_mode)}
        self._room = QUARANTINE_BYTES - sum(sizes.values())
        newest = max((int(name[:-4]) for name in found if _is_numbered(name)), default=1)
        self._file = f"{newest:06d}.bin"
        self._offset = sizes.get(self._file, 0)
        # Nothing is appended to a symbolic link: the next number is used instead.
        if self._offset >= SEGMENT_BYTES or (self._file in found and self._file not in sizes):
            self._file, self._offset = f"{newest + 1:06d}.bin", 0


def _is_numbered(name: str) -> bool:
    return name.endswith(".bin") and name[:-4].isdecimal()
