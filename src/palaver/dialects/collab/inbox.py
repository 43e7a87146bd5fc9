"""A file of the inbox into a message: one file, one message, from A to B.

    inbox/msg_1771730144123456789.txt     [TASK:price-check] BTC price

A text that begins with `USER:` is from the person. The file holds neither time nor sender: its name gives the
time, and the mount gives the sender.
"""

from palaver.dialects.collab.entry import NO_TIME, Head, decode, read_message
from palaver.dialects.collab.layout import dropped_at
from palaver.dialects.collab.parties import Parties
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, PieceBuilder, Problem, Unreadable
from palaver.model.dialect import Kind, Parsed, Source
from palaver.model.message import Message


def parse(source: Source, parties: Parties) -> Parsed:
    """Read one file; it is pending until it is whole."""
    builder = PieceBuilder(source)
    size = len(source.content)
    if not source.whole:
        if size:
            builder.add(Kind.PENDING, size)
        return builder.parsed()
    try:
        message, problems = _read(source, parties)
    except Unreadable as fault:
        # An empty file has no bytes to quarantine, but it is reported.
        builder.quarantine(size, fault.problem)
        parsed = builder.parsed()
        return parsed if size else Parsed((), parsed.findings)
    builder.add(Kind.EVENT, size, (message,), problems)
    return builder.parsed()


def _read(source: Source, parties: Parties) -> tuple[Message, tuple[Problem, ...]]:
    name = source.path.rpartition("/")[2]
    if name.startswith(".") or ("." in name and not name.endswith(".txt")):
        fix = "drop messages as inbox/msg_<nanoseconds>.txt"
        raise Unreadable("COL013", "the file in the inbox is not a text", fix)
    text = decode(source.content.removeprefix(BYTE_ORDER_MARK)).replace("\r\n", "\n").rstrip("\n")
    at = dropped_at(source.path)
    head = Head(parties.dropper, [parties.b], text, at, () if at else (NO_TIME,))
    return read_message(head, text, parties, is_inbox=True)
