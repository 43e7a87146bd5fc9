"""Messages with their front matter and places, for rules."""

from collections.abc import Iterator
from dataclasses import dataclass

from palaver.dialects.runbus.framing import Framing
from palaver.dialects.runbus.front_matter import Field, read_fields
from palaver.dialects.runbus.grammar import BESIDE
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.finding import Finding, Place
from palaver.model.message import Message


@dataclass(frozen=True, slots=True)
class Entry:
    """A message in its file. A line in an older form has no front matter."""

    piece: Piece
    message: Message
    front: dict[str, Field] | None

    @property
    def is_translated(self) -> bool:
        """Return True if it was first written in another dialect."""
        return self.front is not None and any(name.startswith(BESIDE) for name in self.front)

    def field(self, name: str) -> str:
        """Return a field of the front matter as written, or an empty text."""
        found = (self.front or {}).get(name)
        return found.value if found else ""


def entries(source: Source, parsed: Parsed) -> Iterator[Entry]:
    """Yield every message of a file, in order."""
    for piece in parsed.pieces:
        if piece.kind is Kind.EVENT:
            message = piece.values[0]
            assert type(message) is Message
            yield Entry(piece, message, _front(source, piece))


def finding(code: str, source: Source, piece: Piece, message: str, fix: str) -> Finding:
    """Return a finding at a piece."""
    place = Place(path=source.path, line=piece.line, offset=piece.start)
    return Finding(code=code, place=place, message=message, fix=fix)


def _front(source: Source, piece: Piece) -> dict[str, Field] | None:
    start = piece.start - source.offset
    content = source.content[start : start + piece.length].removeprefix(BYTE_ORDER_MARK)
    if not content.startswith(b"---"):
        return None
    block = Framing(content, whole=True).block(0)
    assert block is not None, "a message was read here before"
    return read_fields(content[block.front : block.rule].decode().replace("\r\n", "\n"))
