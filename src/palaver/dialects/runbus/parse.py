"""Bytes of a bus file into messages.

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: FACT
    …
    ---

    The parser is ready.

    ---

One block, one message; one line in an older form, one message. A block or a line that cannot be read is
quarantined, and reading goes on. The last message of a file that may still grow is pending, because a `---`
in its text looks like its end.

The header, everything above the mark, and the mark itself are kept but not read:

    <!-- All messages below this line. Append only. Do not modify above messages. -->

A file without the mark has no header. A message above the mark is still a message: otherwise writing the mark
into a text would hide everything above it. So the header ends at the mark or at the first message, whichever
comes first; code fences and templates in it are not messages.
"""

import re
from typing import Final

from palaver.dialects.runbus import grammar, one_line
from palaver.dialects.runbus.blocks import Blocks, BlockSpan
from palaver.dialects.runbus.entry import decode_content, read_block, read_line
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, PieceBuilder, Problem, Unreadable
from palaver.model.limits import LINE_BYTES
from palaver.model.masking.masks import clip
from palaver.model.mounted_files import Kind, Parsed, Source

_PENDING: Final = -1
_BLANKS: Final = b" \t\r\n"
_TORN: Final = Problem("RUN007", "a torn line is followed by the next message", "send it again")
_HEADER_EVENT: Final = re.compile(
    rb"(" + grammar.MARK.pattern + rb")|^(?:---|" + one_line.BEGINS + rb"| {0,3}(?:```|~~~))", re.M
)
_TEMPLATE: Final = re.compile(rb"---[^\n]*\n[^\n]*(?:[<>]|YYYY)")


def parse(source: Source) -> Parsed:
    """Read every message; report why a block or a line cannot be read."""
    return _Reader(source).parsed()


class _Reader:
    """One pass over a source."""

    __slots__ = ("_blocks", "_builder", "_content", "_offset", "_provenance", "_whole")

    def __init__(self, source: Source) -> None:
        self._content = source.content
        self._whole = source.whole
        self._provenance = source.provenance
        self._offset = source.offset
        self._blocks = Blocks(source.content, whole=source.whole)
        self._builder = PieceBuilder(source)

    def parsed(self) -> Parsed:
        """Read it all."""
        size = len(self._content)
        at = self._begin() if size else 0
        while 0 <= at < size:
            at = self._next(at)
        if self._builder.end < size:
            self._builder.add(Kind.BLANK if self._whole else Kind.PENDING, size)
        return self._builder.parsed()

    def _begin(self) -> int:
        """Return where reading starts: after a byte order mark and a header."""
        if self._offset > 0:
            return 0
        start = len(BYTE_ORDER_MARK) if self._content.startswith(BYTE_ORDER_MARK) else 0
        end = _header_end(self._blocks, start)
        if end is None:
            return _PENDING
        if end == 0:
            return start
        return self._builder.add(Kind.BLANK, end)

    def _next(self, at: int) -> int:
        """Add what begins at a line; return where it ends, or `_PENDING`."""
        if usual := self._blocks.usual(at):
            return self._block(usual)
        content = self._content
        newline = content.find(b"\n", at, at + LINE_BYTES + 1)
        if newline < 0 and len(content) - at > LINE_BYTES:
            problem = Problem("RUN003", "the line is too long", f"write at most {LINE_BYTES} bytes a line")
            return self._builder.quarantine(at + LINE_BYTES, problem)
        if newline < 0 and not self._whole:
            return _PENDING
        end = newline + 1 if newline >= 0 else len(content)
        line = content[at:end].rstrip(_BLANKS)
        if not line.strip(_BLANKS):
            return self._builder.add(Kind.BLANK, end)
        if line == b"---":
            return self._rule(at, end)
        if line.endswith(b"---"):
            return self._glued(at, end, line)
        return self._outside(at, end, line)

    def _rule(self, at: int, end: int) -> int:
        """Add what begins with `---`: a message, or a blank piece."""
        if not self._blocks.opens(at):
            return _PENDING if self._blocks.may_open(at, end) else self._builder.add(Kind.BLANK, end)
        block = self._blocks.block(at)
        return _PENDING if block is None else self._block(block)

    def _block(self, block: BlockSpan) -> int:
        problems: list[Problem] = []
        try:
            message = read_block(self._content, block, problems, self._provenance)
        except Unreadable as fault:
            return self._builder.quarantine(block.end, fault.problem)
        if message is None:
            return self._builder.add(Kind.BLANK, block.end)
        return self._builder.add(Kind.EVENT, block.end, (message,), problems)

    def _glued(self, at: int, end: int, line: bytes) -> int:
        """Add a line that may be torn and followed by the next message."""
        content = self._content
        glue = at + len(line) - 3
        if not grammar.GLUED.match(content, glue):
            may_open = self._blocks.may_open(glue, end)
            return _PENDING if may_open else self._outside(at, end, line)
        if not content[at:glue].strip(_BLANKS):
            return self._builder.add(Kind.BLANK, glue)
        return self._builder.quarantine(glue, _TORN)

    def _outside(self, at: int, end: int, line: bytes) -> int:
        """Add what is not a block: a code fence, the mark, a message in an older form, or a stray line."""
        if fence := grammar.FENCE_AT.match(self._content, at, end):
            window, final = self._blocks.window(at)
            fence_end = self._blocks.fence(fence, window, final=final)
            return _PENDING if fence_end is None else self._stray(line, max(end, fence_end))
        if grammar.MARK.match(line):
            return self._builder.add(Kind.BLANK, end)
        problems: list[Problem] = []
        try:
            said = one_line.read(decode_content(line))
            if said is None:
                return self._stray(line, end)
            stop = self._continued(end)
            if stop == _PENDING:
                return _PENDING
            message = read_line(said, decode_content(self._content[end:stop]), problems)
        except Unreadable as fault:
            return self._builder.quarantine(end, fault.problem)
        return self._builder.add(Kind.EVENT, stop, (message,), problems)

    def _continued(self, start: int) -> int:
        """Return where the lines end that continue a message in an older form, or `_PENDING`."""
        known, limit = self._blocks.known, start + LINE_BYTES
        is_long = known > limit
        window = max(self._content.rfind(b"\n", start, limit) + 1, start) if is_long else known
        found = one_line.CONTINUATION.match(self._content, start, window)
        stop = found.end() if found else start
        return _PENDING if stop >= known and not (self._whole or is_long) else stop

    def _stray(self, line: bytes, end: int) -> int:
        if grammar.CONFLICT_AT.match(line):
            message = "the line is a git conflict marker"
            return self._builder.quarantine(end, Problem("RUN005", message, "resolve the merge by hand"))
        message = f"{clip(line.decode('utf-8', 'replace'), 60)!a} is outside of every message"
        return self._builder.quarantine(
            end, Problem("RUN004", message, "write it as a message, or remove it")
        )


def _header_end(blocks: Blocks, start: int) -> int | None:
    """Return where the header ends, 0 if there is none, or None while that is unknown."""
    content = blocks.content
    long = len(content) > grammar.HEADER_BYTES
    limit = content.rfind(b"\n", 0, grammar.HEADER_BYTES) + 1 if long else blocks.known
    fence = b""
    for found in _HEADER_EVENT.finditer(content, start, limit):
        if found[1] is not None:
            newline = content.find(b"\n", found.end())
            return newline + 1 if newline >= 0 else len(content)
        mark = content[found.start() : found.end()].lstrip()[:3]
        if mark in (b"```", b"~~~"):
            opened = mark if grammar.FENCE_AT.match(content, found.start()) else b""
            fence = b"" if fence == mark else (fence or opened)
        elif not fence and _is_message(content, found.start(), limit):
            return 0
    return 0 if long or blocks.whole else None


def _is_message(content: bytes, at: int, limit: int) -> bool:
    if not content.startswith(b"---", at):
        return True
    return grammar.OPENER_AT.match(content, at, limit) is not None and not _TEMPLATE.match(content, at, limit)
