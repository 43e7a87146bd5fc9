"""Bytes of a bus file into messages.

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: FACT
    …
    ---

    The parser is ready.

    ---

One block, one message; one line in an older form, one message. A block or a line that cannot be read is
quarantined and reading goes on. The last message of a file that may still grow is pending: a `---` in its
text looks like its end.
"""

from typing import Final

from palaver.dialects.runbus import grammar, header, oneline
from palaver.dialects.runbus.framing import Framing
from palaver.dialects.runbus.notes import Notes, Wrong
from palaver.dialects.runbus.reading import block_message, decoded, line_message
from palaver.dialects.runbus.swift import Swift
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.limits import LINE_BYTES

_BOM: Final = b"\xef\xbb\xbf"
_PENDING: Final = -1
_BLANKS: Final = b" \t\r\n"


def parse(source: Source) -> Parsed:
    """Read every message; report whatever is none."""
    return _Reader(source).parsed(Swift(source.content, offset=source.offset, whole=source.whole))


def parse_with_care(source: Source) -> Parsed:
    """Read the same without the short way for messages that are written as ours are."""
    return _Reader(source).parsed(None)


class _Reader:
    """One pass over a source. Pieces are laid end to end, so that they cover it."""

    __slots__ = ("_content", "_framing", "_line", "_notes", "_offset", "_pieces", "_start", "_whole")

    def __init__(self, source: Source) -> None:
        self._content = source.content
        self._whole = source.whole
        self._offset = source.offset
        self._line = source.line
        self._notes = Notes(source.path)
        self._framing = Framing(source.content, whole=source.whole)
        self._pieces: list[Piece] = []
        #: Where the next piece starts; it may be before the place that is read, by a byte order mark.
        self._start = 0

    def parsed(self, swift: Swift | None) -> Parsed:
        """Read it all."""
        size = len(self._content)
        at = self._begin() if size else 0
        while 0 <= at < size:
            if swift is not None and at == self._start and (end := swift.run(at, self._line)) > at:
                self._pieces += swift.pieces
                self._line = swift.line
                at = self._start = end
            else:
                at = self._next(at)
        if self._start < size:
            self._lay(Kind.BLANK if self._whole else Kind.PENDING, size)
        return Parsed(tuple(self._pieces), tuple(self._notes.findings))

    def _begin(self) -> int:
        """Return where reading starts: behind a byte order mark and a header."""
        if self._offset > 0:
            return 0
        start = len(_BOM) if self._content.startswith(_BOM) else 0
        end = header.end(self._framing, start)
        if end is None:
            return _PENDING
        if end == 0:
            return start
        return self._lay(Kind.BLANK, end)

    def _lay(self, kind: Kind, end: int, values: tuple[object, ...] = (), reason: str = "") -> int:
        start = self._start
        self._pieces.append(Piece(kind, self._offset + start, end - start, self._line, values, reason))
        self._line += self._content.count(b"\n", start, end)
        self._start = end
        return end

    def _next(self, at: int) -> int:
        """Lay what stands at the beginning of a line; return where it ends, or that it has not ended."""
        content = self._content
        newline = content.find(b"\n", at, at + LINE_BYTES + 1)
        if newline < 0 and len(content) - at > LINE_BYTES:
            way_out = f"write at most {LINE_BYTES} bytes a line"
            return self._quarantine(Wrong(grammar.TOO_LONG, "the line is too long", way_out), at + LINE_BYTES)
        if newline < 0 and not self._whole:
            return _PENDING
        end = newline + 1 if newline >= 0 else len(content)
        line = content[at:end].rstrip(_BLANKS)
        if not line.strip(_BLANKS):
            return self._lay(Kind.BLANK, end)
        if line == b"---":
            return self._rule(at, end)
        if line.endswith(b"---"):
            return self._glued(at, end, line)
        return self._outside(at, end, line)

    def _rule(self, at: int, end: int) -> int:
        """Lay what begins with `---`: a message, or nothing."""
        if not self._framing.opens(at):
            return _PENDING if self._framing.may_open(at, end) else self._lay(Kind.BLANK, end)
        block = self._framing.block(at)
        if block is None:
            return _PENDING
        before = self._at_piece()
        try:
            message = block_message(self._content, block, self._notes)
        except Wrong as fault:
            self._notes.forget(before)
            return self._quarantine(fault, block.end)
        if message is None:
            return self._lay(Kind.BLANK, block.end)
        return self._lay(Kind.EVENT, block.end, (message,))

    def _glued(self, at: int, end: int, line: bytes) -> int:
        """Lay a line that may be a torn one with the next message glued to it."""
        content = self._content
        glue = at + len(line) - 3
        if not grammar.GLUED.match(content, glue):
            may_open = self._framing.may_open(glue, end)
            return _PENDING if may_open else self._outside(at, end, line)
        if not content[at:glue].strip(_BLANKS):
            return self._lay(Kind.BLANK, glue)
        fault = Wrong(grammar.TORN, "it was torn, and the next message is glued to it", "send it again")
        return self._quarantine(fault, glue)

    def _outside(self, at: int, end: int, line: bytes) -> int:
        """Lay what is no block: a code fence, the mark, a message in an older form, or a stray line."""
        if fence := grammar.FENCE_AT.match(self._content, at, end):
            window, final = self._framing.window(at)
            fence_end = self._framing.fence(fence, window, final=final)
            return _PENDING if fence_end is None else self._stray(line, max(end, fence_end))
        if grammar.MARK.match(line):
            return self._lay(Kind.BLANK, end)
        before = self._at_piece()
        try:
            said = oneline.read(decoded(line))
            if said is None:
                return self._stray(line, end)
            return self._lay(Kind.EVENT, end, (line_message(said, self._notes),))
        except Wrong as fault:
            self._notes.forget(before)
            return self._quarantine(fault, end)

    def _stray(self, line: bytes, end: int) -> int:
        if grammar.CONFLICT_AT.match(line):
            said = "two versions of the file were merged badly"
            return self._quarantine(Wrong(grammar.CONFLICT, said, "merge them by hand"), end)
        said = f"{line[:60].decode('utf-8', 'replace')!a} stands outside of every message"
        fault = Wrong(grammar.STRAY, said, "write it as a message, or take it out")
        return self._quarantine(fault, end)

    def _quarantine(self, fault: Wrong, end: int) -> int:
        self._at_piece()
        self._notes.note(fault.code, fault.message, fault.fix, fault.below)
        return self._lay(Kind.QUARANTINED, end, reason=fault.code)

    def _at_piece(self) -> int:
        """Turn the notes to what is read now; return how many there are by now."""
        self._notes.line = self._line
        self._notes.offset = self._offset + self._start
        return len(self._notes.findings)
