"""An entry: a run of bytes of a mounted file that becomes one event, or a part of one."""

from enum import Enum
from typing import NamedTuple

from palaver.model.message import Message
from palaver.model.mounted_files import Finding


class EntryKind(Enum):
    """What a run of bytes is, seen from the log."""

    #: A rendering of ours, found in its place.
    OURS = "ours"
    #: Bytes that the log has already: they were there before the file was rewritten, or were copied.
    KEPT = "kept"
    #: Something another program wrote.
    NEW = "new"
    #: Bytes that could not be parsed.
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
    """A run of bytes of one file that becomes one event, or a part of one."""

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
    #: KEPT: whether the log knows the message by its id, not its line by its bytes.
    is_repeated: bool = False

    @property
    def raw(self) -> bytes:
        """Return the bytes."""
        return self.block.slice(self.start, self.end)
