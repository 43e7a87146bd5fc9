"""What the rules share: messages with their places, and who is meant by them."""

from collections.abc import Iterator
from typing import NamedTuple

from palaver.dialects.swarm.desk import known
from palaver.dialects.swarm.patterns import MENTION
from palaver.model.dialect import Parsed, Source
from palaver.model.errors import BadName
from palaver.model.finding import Finding, Place
from palaver.model.message import Message
from palaver.model.names import EVERYONE


class Placed(NamedTuple):
    """A message, and where it stands."""

    place: Place
    message: Message


def placed(source: Source, parsed: Parsed) -> Iterator[Placed]:
    """Yield the messages of a file with their places, in order."""
    for piece in parsed.pieces:
        for value in piece.values:
            if isinstance(value, Message):
                yield Placed(Place(path=source.path, line=piece.line, offset=piece.start), value)


def named(message: Message) -> list[str]:
    """Return the agents whom a message names: as recipients, or in its text."""
    return list(dict.fromkeys([*(each for each in message.to if each != EVERYONE), *mentioned(message.body)]))


def mentioned(text: str) -> Iterator[str]:
    """Yield the agents whom a text calls by their handles."""
    for match in MENTION.finditer(text):
        try:
            agent = known(match[1])
        except BadName:
            continue
        if agent != EVERYONE:
            yield agent


def finding(code: str, at: Placed, message: str, fix: str) -> Finding:
    """Return a finding about a message."""
    return Finding(code=code, place=at.place, message=message, fix=fix)
