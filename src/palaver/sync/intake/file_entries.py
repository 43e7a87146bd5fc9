"""Entries: the bytes of one file, cut into runs that each become one event or a part of one."""

from enum import Enum
from typing import NamedTuple

from palaver.model.dialect import Finding
from palaver.model.message import Message
from palaver.sync.intake.file_events import hashed


class EntryKind(Enum):
    """What a run of bytes is, seen from the log."""

    #: A rendering of ours, found in its place.
    OURS = "ours"
    #: Bytes that the log has already: they were there before the file was rewritten, or were copied.
    KEPT = "kept"
    #: Something another program wrote.
    NEW = "new"
    #: Bytes that nobody can read.
    JUNK = "junk"
    #: A long stretch of blanks.
    BLANK = "blank"


class FileBlock(NamedTuple):
    """Bytes that were read at once, and their offset in the file."""

    start: int
    content: bytes

    def slice(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets in the file."""
        return self.content[start - self.start : end - self.start]


class FileEntry(NamedTuple):
    """One run of bytes on its way into the log."""

    kind: EntryKind
    block: FileBlock
    start: int
    end: int
    #: By what it is ordered among the entries of other files; never earlier than that of the entry before.
    time: str = ""
    #: What it says: messages, or records of a dialect.
    values: tuple[object, ...] = ()
    #: The messages among them.
    messages: tuple[Message, ...] = ()
    #: OURS: the event that was rendered. KEPT: the event that took the line in from a replaced file, or 0.
    seq: int = 0
    #: JUNK: a code and a sentence.
    reason: tuple[str, str] = ("", "")
    findings: tuple[Finding, ...] = ()

    @property
    def raw(self) -> bytes:
        """Return the bytes."""
        return self.block.slice(self.start, self.end)

    @property
    def sha(self) -> str:
        """Return the hash of the bytes."""
        return hashed(self.raw)
