"""A file of the inbox into a message: one file, one whole message, from A to B.

    inbox/msg_1771730144123456789.txt     [TASK:price-check] BTC price

A text that starts with `USER:` is the person's. When and by whom it was dropped is not in the file: the
name gives the time, the mount the sender.
"""

from typing import Final

from palaver.dialects.collab.cast import Cast
from palaver.dialects.collab.layout import dropped_at
from palaver.dialects.collab.lines import BOM, plain
from palaver.dialects.collab.opening import NO_TIME, Note, Opening
from palaver.dialects.collab.telling import told
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.finding import Finding, Place
from palaver.model.message import Message

_NOT_A_MESSAGE: Final = Note(
    "COL013", "a file of the inbox that is not a text", "drop messages as inbox/msg_<nanoseconds>.txt"
)
_EMPTY: Final = Note("COL011", "the message says nothing", "drop a file with a text")


def parse(source: Source, cast: Cast) -> Parsed:
    """Read one file; as long as it is not whole, all of it is pending."""
    size = len(source.content)
    if not source.whole:
        pending = (Piece(Kind.PENDING, source.offset, size, source.line),) if size else ()
        return Parsed(pending, ())
    found = _read(source, cast)
    if isinstance(found, Note):
        kept = (Piece(Kind.QUARANTINED, source.offset, size, source.line, reason=found.code),) if size else ()
        return Parsed(kept, (_finding(source, found),))
    message, notes = found
    piece = Piece(Kind.EVENT, source.offset, size, source.line, (message,))
    return Parsed((piece,), tuple(_finding(source, note) for note in notes))


def _read(source: Source, cast: Cast) -> tuple[Message, tuple[Note, ...]] | Note:
    name = source.path.rpartition("/")[2]
    if name.startswith(".") or ("." in name and not name.endswith(".txt")):
        return _NOT_A_MESSAGE
    text = plain(source.content.removeprefix(BOM))
    if isinstance(text, Note):
        return text
    body = text.replace("\r\n", "\n").rstrip("\n")
    if not body.strip():
        return _EMPTY
    at = dropped_at(source.path)
    notes = () if at else (NO_TIME,)
    opening = Opening(sender=cast.dropper, to=[cast.b], text=body, at=at, notes=notes)
    return told(opening, body, cast, to_inbox=True)


def _finding(source: Source, note: Note) -> Finding:
    place = Place(path=source.path, line=source.line, offset=source.offset)
    return Finding(code=note.code, place=place, message=note.message, fix=note.fix)
