"""What rules need to judge a file: each message with its front matter as written, and where it stands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from palaver.dialects.runbus.framing import Framing
from palaver.dialects.runbus.front import Field, fields
from palaver.dialects.runbus.grammar import BESIDE
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.finding import Finding, Place
from palaver.model.message import Message

_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Entry:
    """A message in its file. A line in an older form has no front matter."""

    piece: Piece
    message: Message
    front: dict[str, Field] | None

    @property
    def translated(self) -> bool:
        """Tell whether it was first said in other words than those of runbus."""
        return self.front is not None and any(name.startswith(BESIDE) for name in self.front)

    def says(self, name: str) -> str:
        """Return a field of the front matter as written, or nothing."""
        field = (self.front or {}).get(name)
        return field.value if field else ""


def entries(source: Source, parsed: Parsed) -> Iterator[Entry]:
    """Yield every message of a file, in order."""
    for piece in parsed.pieces:
        if piece.kind is Kind.EVENT:
            message = piece.values[0]
            assert type(message) is Message
            yield Entry(piece, message, _front(source, piece))


def found(code: str, source: Source, piece: Piece, message: str, fix: str) -> Finding:
    """Return a finding at a piece."""
    place = Place(path=source.path, line=piece.line, offset=piece.start)
    return Finding(code=code, place=place, message=message, fix=fix)


def _front(source: Source, piece: Piece) -> dict[str, Field] | None:
    start = piece.start - source.offset
    content = source.content[start : start + piece.length].removeprefix(_BOM)
    if not content.startswith(b"---"):
        return None
    block = Framing(content, whole=True).block(0)
    assert block is not None, "what was read as a message is one"
    return fields(content[block.front : block.rule].decode().replace("\r\n", "\n"))
