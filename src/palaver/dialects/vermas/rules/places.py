"""Messages with their places, for rules."""

from collections.abc import Iterator

from palaver.model.dialect import Parsed, Source
from palaver.model.finding import Place
from palaver.model.message import Message


def letters(source: Source, parsed: Parsed) -> Iterator[tuple[Place, Message]]:
    """Yield each message of a file with the place where it starts."""
    for piece in parsed.pieces:
        for value in piece.values:
            if type(value) is Message:
                yield Place(path=source.path, line=piece.line, offset=piece.start), value
