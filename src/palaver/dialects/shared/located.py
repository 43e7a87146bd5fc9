"""Messages with their places in a file, for rules."""

from collections.abc import Iterator
from typing import NamedTuple

from palaver.model.dialect import Parsed
from palaver.model.finding import Finding, Place
from palaver.model.message import Message


class Located(NamedTuple):
    """A message, and where it begins."""

    place: Place
    message: Message

    def finding(self, code: str, message: str, fix: str) -> Finding:
        """Return a finding about this message."""
        return Finding(code=code, place=self.place, message=message, fix=fix)


def located_messages(path: str, parsed: Parsed) -> Iterator[Located]:
    """Yield the messages of a file with their places, in order."""
    for piece in parsed.pieces:
        for value in piece.values:
            if type(value) is Message:
                yield Located(Place(path=path, line=piece.line, offset=piece.start), value)
