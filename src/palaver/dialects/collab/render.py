"""A message into one line of a chat log, or into a file of the inbox.

A tag or prefix of the dialect expresses the act if there is one, otherwise an act tag; the trailer holds what
neither brings back. The line is parsed before it is returned, so nothing can be lost.
"""

from typing import Final

from palaver.dialects.collab import content
from palaver.dialects.collab.grammar import NO_TIME, SYSTEM, USER
from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.parse import parse
from palaver.dialects.collab.parties import THE_SYSTEM, Parties, parties_of, written
from palaver.dialects.shared.trailer import with_trailer
from palaver.dialects.shared.translation import missing_fields
from palaver.model.clock_text import wall_clock
from palaver.model.dialect import Mount, Source
from palaver.model.errors import TooLarge
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE

# Besides newline and backslash. Readers take a NUL for a torn disk page.
_ESCAPED: Final = "\0"
# What no text brings back.
_BESIDE: Final = frozenset(
    ["from", "to", "subject", "priority", "re", "reasoning", "run", "files", "artifacts"]
)


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the bytes of a message in a file of the mount."""
    parties = parties_of(mount)
    head = _inbox_head(message, parties) if is_inbox(path) else _chat_head(message, parties)
    text, missing = _best(message, parties, mount, path, head)
    line = _line(head, text, missing)
    if len(line) > LINE_BYTES:
        raise TooLarge(
            f"cannot write {message.id or 'the message'} to {path}",
            f"its line would be longer than {LINE_BYTES} bytes",
            "put the text in a file and name it",
        )
    found = _read(line, mount, path)
    assert found is not None, line
    assert not missing_fields(message, found), (missing_fields(message, found), line)
    return line


def _best(
    message: Message, parties: Parties, mount: Mount, path: str, head: str
) -> tuple[str, dict[str, object]]:
    """Return the text that brings back most, and the fields for the trailer."""
    best: tuple[str, dict[str, object]] | None = None
    for text in content.write(message, parties):
        found = _read(_line(head, text, {}), mount, path)
        if found is None:
            continue
        missing = missing_fields(message, found)
        if best is None or len(missing) < len(best[1]):
            best = text, missing
        if missing.keys() <= _BESIDE:
            break
    if best is not None:
        return best
    # No text would be read as one line: all of it goes into the trailer.
    found = _read(_line(head, "", {"body": ""}), mount, path)
    assert found is not None, head
    return "", missing_fields(message, found)


def _line(head: str, text: str, beside: dict[str, object]) -> bytes:
    return f"{head}{with_trailer(text, beside, _ESCAPED)}\n".encode()


def _read(line: bytes, mount: Mount, path: str) -> Message | None:
    """Return the message of a line, or None if it is not exactly one message."""
    pieces = parse(Source(path=path, content=line, mount=mount)).pieces
    values = pieces[0].values if len(pieces) == 1 else ()
    return values[0] if values and isinstance(values[0], Message) else None


def _inbox_head(message: Message, parties: Parties) -> str:
    return f"{USER}: " if message.sender == parties.person and parties.dropper != parties.person else ""


def _chat_head(message: Message, parties: Parties) -> str:
    return f"{wall_clock(message.at, parties.zone) or NO_TIME} {_parties(message, parties)}: "


def _parties(message: Message, parties: Parties) -> str:
    if message.sender == THE_SYSTEM and message.to == [EVERYONE]:
        return SYSTEM
    if message.tag == USER and message.sender == parties.person and message.to == [parties.b]:
        return f"{written(parties.a)} -> {written(parties.b)}: {USER}"
    receivers = ",".join(written(to) for to in message.to) or written(EVERYONE)
    return f"{written(message.sender)} -> {receivers}"
