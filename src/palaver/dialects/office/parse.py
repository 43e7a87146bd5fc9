"""Bytes of an office's log into messages.

    [2026-02-11T10:00:00Z] [INFO] by: emp-a1 | Which port?     -> ask, emp-a1 to the manager
    [2026-02-11T10:05:00Z] [REPLY] To emp-a1: 8080.            -> answer, the manager to emp-a1

One line, one entry. A line that fits a template to the letter takes the short way: one expression, one
message. Every other takes the careful way through `entry.py`. Both say the same (the tests see to that).
"""

from typing import Final

from palaver.dialects.office import grammar
from palaver.dialects.office.entry import Entry, is_exact, understand
from palaver.dialects.office.layout import pen_of
from palaver.dialects.office.loose import Note
from palaver.dialects.office.swift import Swift
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.finding import Finding, Place
from palaver.model.limits import LINE_BYTES

_BOM: Final = "\ufeff".encode()
_EVENT: Final = Kind.EVENT
# What a named tuple does, without the detour through its constructor.
_piece: Final = tuple.__new__


def parse(source: Source) -> Parsed:
    """Read every line; whatever cannot be read is kept, with the reason."""
    reader = _Reader(source)
    reader.read()
    return Parsed(tuple(reader.pieces), tuple(reader.findings))


class _Reader:
    """One pass over a source: what was read, and where it stands."""

    __slots__ = ("findings", "line", "pen", "pieces", "source", "start")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pen = pen_of(source.path, source.mount)
        self.start = source.offset
        self.line = source.line
        self.pieces: list[Piece] = []
        self.findings: list[Finding] = []

    def read(self) -> None:
        content = self.source.content
        texts, lengths, tail = _lines(content)
        swift = Swift(self.pen).read
        append = self.pieces.append
        start, line = self.start, self.line
        begun = start
        for text, length in zip(texts, lengths, strict=True):
            message = swift(text)
            if message is None or length > LINE_BYTES + 1:
                self.start, self.line = start, line
                self.careful(content[start - begun : start - begun + length - 1], length)
            else:
                append(_piece(Piece, (_EVENT, start, length, line, (message,), "")))
            start += length
            line += 1
        self.start, self.line = start, line
        if not tail:
            return
        if self.source.whole:
            self.careful(tail, len(tail))
            return
        while len(tail) > LINE_BYTES:
            tail = self.cut(tail)
        self.pieces.append(Piece(Kind.PENDING, self.start, len(tail), self.line))

    def careful(self, raw: bytes, length: int) -> None:
        """Read one line, whatever it is."""
        while len(raw) > LINE_BYTES:
            length -= LINE_BYTES
            raw = self.cut(raw)
        marked = self.start == 0 and raw.startswith(_BOM)
        bare = raw[len(_BOM) :] if marked else raw
        if not bare.strip(b" \t\r"):
            self.put(Piece(Kind.BLANK, self.start, length, self.line))
            return
        try:
            text = bare.decode().removesuffix("\r")
        except UnicodeDecodeError:
            self.quarantine(length, (grammar.NOT_UTF8, "the line is not UTF-8", "write it again as UTF-8"))
            return
        if "\0" in text or "\r" in text:
            self.quarantine(
                length,
                (
                    grammar.CONTROL,
                    "a NUL or a carriage return stands in the line",
                    "write plain text, a line each",
                ),
            )
            return
        entry = understand(text, self.pen)
        torn = _torn(text, entry)
        if torn:
            front = len(text[:torn].encode()) + len(raw) - len(bare)
            self.quarantine(front, _GLUED)
            raw, length = raw[front:], length - front
            entry = understand(text[torn:], self.pen)
        self.note(entry.notes)
        if entry.messages:
            self.put(Piece(Kind.EVENT, self.start, length, self.line, tuple(entry.messages)))
        else:
            self.put(Piece(Kind.QUARANTINED, self.start, length, self.line, (), entry.reason))

    def cut(self, raw: bytes) -> bytes:
        """Quarantine the beginning of a line that is too long; what is left counts as a line again.

        So an endless line costs no more memory than a long one, and is cut at the same places however it
        comes in.
        """
        self.quarantine(
            LINE_BYTES,
            (
                grammar.TOO_LONG,
                f"the line has more than {LINE_BYTES} bytes",
                "put the text in a file and name it",
            ),
        )
        return raw[LINE_BYTES:]

    def quarantine(self, length: int, note: Note) -> None:
        self.note([note])
        self.put(Piece(Kind.QUARANTINED, self.start, length, self.line, (), note[0]))

    def put(self, piece: Piece) -> None:
        self.pieces.append(piece)
        self.start += piece.length

    def note(self, notes: list[Note]) -> None:
        place = Place(path=self.source.path, line=self.line, offset=self.start)
        self.findings += [Finding(code=code, place=place, message=what, fix=fix) for code, what, fix in notes]


_GLUED: Final[Note] = (
    grammar.GLUED,
    "an entry breaks off, and the next one is glued to it",
    "write each entry in one go, with its newline",
)


def _lines(content: bytes) -> tuple[list[str], list[int], bytes]:
    """Return the texts of all lines, how many bytes each has with its end, and what has no end yet.

    A text is empty where there is none to be had the short way.
    """
    tail = content[content.rfind(b"\n") + 1 :]
    # Of plain text a line has as many bytes as characters: then one way of cutting it is enough.
    raws = [] if content.isascii() else content.split(b"\n")[:-1]
    try:
        texts = content.decode().split("\n")[:-1]
    except UnicodeDecodeError:
        texts = [raw.decode("utf-8", "replace") for raw in raws]
        texts = ["" if "\ufffd" in text else text for text in texts]
    lengths = [len(each) + 1 for each in raws or texts]
    if b"\r" in content or b"\0" in content:
        texts = [text.removesuffix("\r") for text in texts]
        texts = ["" if "\r" in text or "\0" in text else text for text in texts]
    return texts, lengths, tail


def _torn(text: str, entry: Entry) -> int:
    """Return where a whole entry begins that is glued to a torn one; note one that is only quoted."""
    if not text.startswith("["):
        return 0
    starts = [found.start() for found in grammar.INSIDE.finditer(text, 1)]
    if not starts or not is_exact(text[starts[-1] :]):
        return 0
    if entry.messages and text[starts[-1] - 1] in grammar.QUOTING:
        entry.notes.append(
            (
                grammar.ENTRY_INSIDE,
                "a whole entry stands inside the text of this one",
                "if two writers collided, write the second again on a line of its own",
            )
        )
        return 0
    return starts[-1]
