"""What the files of a dialect say besides mail."""

from dataclasses import dataclass, fields
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A line or a file that is not a message: the log keeps its fields."""

    #: What the log calls it.
    kind: ClassVar[str] = ""

    def plain(self) -> dict[str, object]:
        """Return its fields, in their order."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMark:
    """A line that says that its recipient has read a message."""

    message_id: str
    reader: str
    read_at: str
