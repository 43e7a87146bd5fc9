"""Bytes of a chat log into messages.

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] BTC price      -> assign, by jim
    2026-02-22 03:30:00 SYSTEM: Cron fired depin_health.sh               -> inform, to everyone

One line, one message; lines without a time that follow directly belong to it, and so do blank lines
between them. Well-formed lines go the swift way. All others go the careful way: it takes the lines that
belong together, reads what can be read, and keeps the rest in quarantine.
"""

from typing import Final

from palaver.dialects.collab import inbox, opening, telling
from palaver.dialects.collab.cast import Cast, cast_of
from palaver.dialects.collab.grammar import CONFLICT, GLUED, HEAD_WITHIN, STAMPED
from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.lines import BOM, decoded
from palaver.dialects.collab.opening import Note, Opening
from palaver.dialects.collab.swift import Swift
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.finding import Finding, Place
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message

# For how many lines at most the careful way goes on alone.
_PATIENCE: Final = 31

_TORN: Final = Note(
    "COL012", "the line broke off, and another was written behind it", "ask its writer to say it again"
)
_CONFLICT: Final = Note(
    "COL005", "a conflict marker of git", "settle the merge; append-only files merge by keeping both"
)


def parse(source: Source) -> Parsed:
    """Read a chat log, or one file of the inbox."""
    cast = cast_of(source.mount)
    if is_inbox(source.path):
        return inbox.parse(source, cast)
    reader = _Reader(source, cast)
    swift = Swift(source, cast)
    wait = patience = 0
    while reader.is_unfinished():
        if not wait and reader.is_timed():
            before = reader.place
            reader.place, reader.line = swift.read(before, reader.line, reader.pieces)
            # Where the swift way got nowhere it is tried less often: odd lines come in swarms.
            wait = patience = 0 if reader.place > before else min(2 * patience + 1, _PATIENCE)
        elif wait:
            wait -= 1
        if reader.is_unfinished():
            reader.carefully()
    return Parsed(tuple(reader.pieces), tuple(reader.findings))


def parse_carefully(source: Source) -> Parsed:
    """Read a chat log without the swift way: the same, only slower. Tests hold the two against each other."""
    reader = _Reader(source, cast_of(source.mount))
    while reader.is_unfinished():
        reader.carefully()
    return Parsed(tuple(reader.pieces), tuple(reader.findings))


class _Reader:
    """One pass over a source."""

    def __init__(self, source: Source, cast: Cast) -> None:
        self.source = source
        self.content = source.content
        self.cast = cast
        self.pieces: list[Piece] = []
        self.findings: list[Finding] = []
        self.place = 0
        self.line = source.line

    def is_unfinished(self) -> bool:
        """Tell whether there is more to read."""
        return self.place < len(self.content)

    def is_timed(self) -> bool:
        """Tell whether the next line begins with a time."""
        return STAMPED.match(self.content, self.place) is not None

    def carefully(self) -> None:
        """Read one block: a line, and those that belong to it."""
        start = self.place
        end = self._end_of_line(start)
        if not end:
            self._keep(Kind.PENDING, len(self.content))
            return
        raw = self.content[start:end].removesuffix(b"\n")
        lead = len(BOM) if self.source.offset + start == 0 and raw.startswith(BOM) else 0
        raw = raw[lead:]
        if not raw.strip():
            self._keep(Kind.BLANK, end)
            return
        text = _CONFLICT if CONFLICT.match(raw) else decoded(raw)
        if isinstance(text, Note):
            self._quarantine(end, text)
            return
        found = self._opening(raw, text)
        torn = _torn(text, found)
        if torn:
            self._quarantine(start + lead + len(text[:torn].encode()), _TORN)
        elif isinstance(found, Note):
            self._quarantine(end, found)
        else:
            self._message(found, end, timed=STAMPED.match(raw) is not None)

    def _opening(self, raw: bytes, text: str) -> Opening | Note:
        if STAMPED.match(raw):
            return opening.stamped(text, self.cast)
        return opening.unstamped(text, self.cast) or opening.NO_MESSAGE

    def _message(self, head: Opening, end: int, *, timed: bool) -> None:
        """Take the lines that belong to a head, and keep the message; or wait, if more may belong to it."""
        if telling.ends_with_trailer(head.text):
            texts: list[str] | None = []
        else:
            texts, end = self._continued(end, timed=timed)
        if texts is None:
            self._keep(Kind.PENDING, len(self.content))
            return
        text = "\n".join([head.text, *texts]) if head.text.strip() else "\n".join(texts).lstrip("\n")
        found = telling.told(head, text, self.cast)
        if isinstance(found, Note):
            self._quarantine(end, found)
            return
        message, notes = found
        for note in notes:
            self._find(note)
        self._keep(Kind.EVENT, end, (message,))

    def _continued(self, end: int, *, timed: bool) -> tuple[list[str] | None, int]:
        """Return the lines that belong to the one that ends here, and where they end; None: more may come.

        Blank lines belong to a message when a line of it follows.
        """
        content, size = self.content, len(self.content)
        texts: list[str] = []
        blanks = 0
        place = end
        while place < size and not STAMPED.match(content, place):
            following = self._end_of_line(place)
            if not following:
                return None, end
            if following - self.place > LINE_BYTES:
                return texts, end
            raw = content[place:following].removesuffix(b"\n")
            place = following
            if not raw.strip():
                blanks += 1
                continue
            text = self._continuation(raw, timed=timed)
            if text is None:
                return texts, end
            texts += [""] * blanks + [text]
            blanks = 0
            end = following
        if place >= size and not self.source.whole:
            return None, end
        return texts, end

    def _continuation(self, raw: bytes, *, timed: bool) -> str | None:
        """Return the text of a line that belongs to the one before, or None if it stands for itself."""
        text = decoded(raw)
        if isinstance(text, Note) or CONFLICT.match(raw) or GLUED.search(text):
            return None
        if opening.is_known(text, self.cast) or (not timed and opening.unstamped(text, self.cast)):
            return None
        return text

    def _end_of_line(self, start: int) -> int:
        """Return where the next line begins; 0 if this one is still being written."""
        end = self.content.find(b"\n", start) + 1
        return end or (len(self.content) if self.source.whole else 0)

    def _quarantine(self, end: int, note: Note) -> None:
        self._find(note)
        self._keep(Kind.QUARANTINED, end, reason=note.code)

    def _find(self, note: Note) -> None:
        place = Place(path=self.source.path, line=self.line, offset=self.source.offset + self.place)
        self.findings.append(Finding(code=note.code, place=place, message=note.message, fix=note.fix))

    def _keep(self, kind: Kind, end: int, values: tuple[Message, ...] = (), reason: str = "") -> None:
        start = self.place
        self.pieces.append(Piece(kind, self.source.offset + start, end - start, self.line, values, reason))
        self.line += self.content.count(b"\n", start, end)
        self.place = end


def _torn(text: str, found: Opening | Note) -> int:
    """Return where the last line begins that was written behind a torn one; 0 if there is none."""
    lost = isinstance(found, Note) and found is not opening.NO_MESSAGE
    heads = (HEAD_WITHIN if lost else GLUED).finditer(text, 1)
    return max((head.start() for head in heads), default=0)
