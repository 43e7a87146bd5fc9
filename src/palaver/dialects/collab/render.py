"""A message into one line of a chat log, or into a file of the inbox.

In the dialect's own words where it has them, else in the general form; what neither brings back stands in
the trailer. What was written is read again before it leaves: a message that would come back otherwise is
our own bug, not something to find out later.
"""

from typing import Final

from palaver.dialects.collab import times, words
from palaver.dialects.collab.cast import THE_SYSTEM, Cast, cast_of, written
from palaver.dialects.collab.grammar import NO_TIME, SYSTEM, USER
from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.parse import parse
from palaver.dialects.shared.trailer import with_trailer
from palaver.dialects.shared.translation import missing_fields
from palaver.model.dialect import Mount, Source
from palaver.model.errors import TooLarge
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE

# Besides newline and backslash: a reader takes a NUL for a torn page.
_ESCAPED: Final = "\0"
# What no form of a text could bring back.
_BESIDE: Final = frozenset(
    ["from", "to", "subject", "priority", "re", "reasoning", "run", "files", "artifacts"]
)


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the bytes of a message in a file of the mount."""
    cast = cast_of(mount)
    head = _inbox_head(message, cast) if is_inbox(path) else _chat_head(message, cast)
    text, missing = _best(message, cast, mount, path, head)
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


def _best(message: Message, cast: Cast, mount: Mount, path: str, head: str) -> tuple[str, dict[str, object]]:
    """Return the form that brings back most, and what must stand beside it."""
    best: tuple[str, dict[str, object]] | None = None
    for text in words.forms(message, cast):
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
    # No form of the text is one line for a reader: all of it goes beside.
    found = _read(_line(head, "", {"body": ""}), mount, path)
    assert found is not None, head
    return "", missing_fields(message, found)


def _line(head: str, text: str, beside: dict[str, object]) -> bytes:
    return f"{head}{with_trailer(text, beside, _ESCAPED)}\n".encode()


def _read(line: bytes, mount: Mount, path: str) -> Message | None:
    """Return the one message that a line says, or None if it says less or more."""
    pieces = parse(Source(path=path, content=line, mount=mount)).pieces
    values = pieces[0].values if len(pieces) == 1 else ()
    return values[0] if values and isinstance(values[0], Message) else None


def _inbox_head(message: Message, cast: Cast) -> str:
    return f"{USER}: " if message.sender == cast.person and cast.dropper != cast.person else ""


def _chat_head(message: Message, cast: Cast) -> str:
    seconds = times.seconds_of(message.at)
    stamp = None if seconds is None else times.wall(seconds + cast.east)
    return f"{stamp or NO_TIME} {_parties(message, cast)}: "


def _parties(message: Message, cast: Cast) -> str:
    if message.sender == THE_SYSTEM and message.to == [EVERYONE]:
        return SYSTEM
    if message.tag == USER and message.sender == cast.person and message.to == [cast.b]:
        return f"{written(cast.a)} -> {written(cast.b)}: {USER}"
    receivers = ",".join(written(to) for to in message.to) or written(EVERYONE)
    return f"{written(message.sender)} -> {receivers}"
