"""Bytes of an office's log into messages.

    [2026-02-11T10:00:00Z] [INFO] by: emp-a1 | Which port?     -> ask, emp-a1 to the manager
    [2026-02-11T10:05:00Z] [REPLY] To emp-a1: 8080.            -> answer, the manager to emp-a1

One line, one entry. A line that fits a template to the letter takes the short way: one expression, one
message. Every other takes the careful way through `entry.py`. Both say the same (the tests see to that).
"""

from collections.abc import Callable
from typing import Any, Final

from palaver.dialects.office import grammar
from palaver.dialects.office.entry import Entry, split_trailer, understand
from palaver.dialects.office.grammar import FORMS, LINE, NONE, Desk
from palaver.dialects.office.layout import pen_of
from palaver.dialects.office.loose import Note
from palaver.dialects.office.times import is_day
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.errors import BadName
from palaver.model.finding import Finding, Place
from palaver.model.limits import LINE_BYTES
from palaver.model.message import WORDLESS, Message
from palaver.model.names import address

_BOM: Final = "\ufeff".encode()
_EVENT: Final = Kind.EVENT
# Texts that begin or end so may say something else than the tag does: a T, a question, a dash, a trailer.
_ENDS: Final = frozenset((*grammar.QUESTION_MARKS, NONE, " ", "\t"))


def parse(source: Source) -> Parsed:
    """Read every line; whatever cannot be read is kept, with the reason."""
    reader = _Reader(source)
    reader.read()
    return Parsed(tuple(reader.pieces), tuple(reader.findings))


class _Reader:
    """One pass over a source: what was read, and where it stands."""

    __slots__ = ("findings", "known", "line", "owner", "pen", "pieces", "source", "start")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pen = pen_of(source.path, source.mount)
        # In the manager's own employee log, should there be one, it is not plain who talks to whom.
        muddled = self.pen.desk is Desk.WORKER and self.pen.owner == self.pen.manager
        self.owner = "" if muddled else self.pen.owner
        self.start = source.offset
        self.line = source.line
        self.pieces: list[Piece] = []
        self.findings: list[Finding] = []
        #: Names as written → as they are.
        self.known: dict[str, str] = {}

    def read(self) -> None:
        content = self.source.content
        lines = content.split(b"\n")
        texts = _texts(content)
        tail = lines.pop()
        swift, careful, append = self.swift, self.careful, self.pieces.append
        for raw, text in zip(lines, texts, strict=False):
            length = len(raw) + 1
            message = swift(text) if length <= LINE_BYTES + 1 else None
            if message is None:
                careful(raw, length)
                continue
            append(_event(self.start, length, self.line, (message,)))
            self.start += length
            self.line += 1
        for raw in lines[len(texts) :]:
            careful(raw, len(raw) + 1)
        self.tail(tail)
