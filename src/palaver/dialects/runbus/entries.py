"""Messages with their front matter and places, for rules."""

from collections.abc import Iterator
from dataclasses import dataclass

from palaver.dialects.runbus.framing import Framing
from palaver.dialects.runbus.front_matter import Field, read_fields
from palaver.dialects.runbus.grammar import BESIDE
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK
from palaver.dialects.shared.rule import CheckedFile, Violation
from palaver.model.finding import Place
from palaver.model.message import Message


@dataclass(frozen=True, slots=True)
class Entry:
    """A message in its file. A line in an older form has no front matter."""

    place: Place
    message: Message
    front: dict[str, Field] | None

    @property
    def is_translated(self) -> bool:
        """Return True if it was first written in another dialect."""
        return self.front is not None and any(name.startswith(BESIDE) for name in self.front)

    def violation(self, message: str, fix: str) -> Violation:
        """Return a violation at this message."""
        return Violation(self.place, message, fix)

    def field(self, name: str) -> str:
        """Return a field of the front matter as written, or an empty text."""
        found = (self.front or {}).get(name)
        return found.value if found else ""


def entries(file: CheckedFile) -> Iterator[Entry]:
    """Yield every message of a file, in order."""
    for place, message, raw in file.messages():
        yield Entry(place, message, _front(raw.removeprefix(BYTE_ORDER_MARK)))


def _front(content: bytes) -> dict[str, Field] | None:
    if not content.startswith(b"---"):
        return None
    block = Framing(content, whole=True).block(0)
    assert block is not None, "a message was read here before"
    return read_fields(content[block.front : block.rule].decode().replace("\r\n", "\n"))
