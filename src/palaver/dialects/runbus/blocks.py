r"""Where messages begin and end in a bus file.

A message is from its opener, a `---` directly followed by `messageId:`, to its closing `---`: the last one
before the next opener. So a `---` inside a body is text, two adjacent ones are an end and a beginning, and
what follows the closing one belongs to no message. If there is no closing one, the next opener or the end of
the file ends the message.

Nothing here depends on what precedes a place, so a file can be read in any chunks.
"""

import re
from typing import Final, NamedTuple

from palaver.dialects.runbus.fences import Fences
from palaver.dialects.runbus.grammar import BLOCK_BYTES, CUT, EVENT, FRONT, KEY_LINE_AT, OPENER_AT
from palaver.dialects.shared.pieces import Problem
from palaver.model.limits import LINE_BYTES

_BLANKS: Final = b" \t\r\n"
_NEWLINE: Final = 10
#: Two lines of keys are never longer than what we look at behind a `---`.
_AHEAD: Final = 4_096


class BlockSpan(NamedTuple):
    """Where a message is: `front:rule` the front matter, `body:stop` the text."""

    front: int
    rule: int
    body: int
    stop: int
    end: int
    closed: bool = False
    #: Why it has no end, or not its own.
    fault: Problem | None = None


_TOO_LONG: Final = Problem("RUN003", "it does not end", "close it with ---")
_TORN: Final = Problem("RUN007", "it was torn and is followed by the next message", "send it again")
_UNENDED: Final = Problem(
    "RUN006", "its front matter has no end", "write --- and the text below the front matter"
)
#: The usual block. Its ends are certain at a glance: in its text no line begins or ends with `-`, nothing is
#: fenced or escaped, and the next message or the end of the file follows.
_USUAL: Final = re.compile(
    rb"---\n((?=messageId:)(?:[^\n-](?:[^\n]*[^\n-])?\n)++)---\n"
    rb"((?:\n|[^\n\-`~\\\r\0](?:[^\n`~\\\r\0]*[^\n\-`~\\\r\0])?\n)*+)---\n"
    rb"(?=\n*(?:---\nmessageId:|(\Z)))"
)


class Blocks:
    """The messages of a source, found by where they begin."""

    __slots__ = ("_fences", "content", "known", "whole")

    def __init__(self, content: bytes, *, whole: bool) -> None:
        self.content = content
        self.whole = whole
        #: Lines that end before here are complete.
        self.known = len(content) if whole else content.rfind(b"\n") + 1
        self._fences = Fences(content, self.known)

    def window(self, start: int) -> tuple[int, bool]:
        """Return how far something at `start` may reach, and whether all of that is known."""
        limit = start + BLOCK_BYTES
        if len(self.content) <= limit:
            return self.known, self.whole
        last = self.content.rfind(b"\n", start, limit) + 1
        return last or limit, self.whole or len(self.content) > limit + _AHEAD

    def opens(self, at: int) -> bool:
        """Return True if the `---` at a place opens a message, as far as the following bytes are known."""
        return OPENER_AT.match(self.content, at, min(at + _AHEAD, len(self.content))) is not None

    def may_open(self, at: int, below: int) -> bool:
        """Return True if lines that are yet to be written could make the `---` at a place open a message."""
        if self.whole or len(self.content) >= at + _AHEAD:
            return False
        key = KEY_LINE_AT.match(self.content, below, self.known)
        return (key.end() if key else below) >= self.known

    def usual(self, start: int) -> BlockSpan | None:
        """Return the message at `start` if it has the usual form; None says nothing."""
        match = _USUAL.match(self.content, start)
        if match is None or match.end() - start > LINE_BYTES or (match[3] is not None and not self.whole):
            return None
        return BlockSpan(*match.span(1), *match.span(2), match.end(), closed=True)

    def block(self, start: int) -> BlockSpan | None:
        """Return the message that opens at `start`, or None while its end may still come."""
        content = self.content
        window, final = self.window(start)
        front = content.index(b"\n", start) + 1
        found = CUT.search(content, front, window)
        if found is None:
            return self._unended(front, window) if final else None
        if self.opens(found.start()):
            return self._unended(front, found.start())
        body = min(found.end() + 1, window)
        scan = self._scan(body, window, final=final)
        if scan is None:
            return None
        closing, boundary = scan
        rule, fault = found.start(), None
        if closing >= 0:
            end = self._line_end(closing, window)
            return BlockSpan(front, rule, body, closing, end, closed=True)
        if boundary < 0 and window < len(content):
            return BlockSpan(front, rule, body, window, window, fault=_TOO_LONG)
        end = self._trimmed(body, window if boundary < 0 else boundary)
        if boundary > 0 and end == boundary and content[boundary - 1] != _NEWLINE:
            fault = _TORN
        return BlockSpan(front, rule, body, end, end, fault=fault)

    def fence(self, line: re.Match[bytes], window: int, *, final: bool) -> int | None:
        """Return where a code fence ends; -1 if it is not a fence; None while its end may still come."""
        end = self._fences.end(line)
        if end < 0 or end > window:
            return -1 if final or self._fences.must_be_open(line) else None
        return end if self._fences.holds(line) else -1

    def _scan(self, body: int, window: int, *, final: bool) -> tuple[int, int] | None:
        """Return the last closing `---` and the next opener (-1 if there is none), or None if unsure."""
        content = self.content
        closing, at = -1, body
        while found := EVENT.search(content, at, window):
            at = found.end()
            if found[1] is not None:
                end = self.fence(found, window, final=final)
                if end is None:
                    return None
                at = max(at, end)
            elif self.opens(found.start()):
                return closing, found.start()
            else:
                closing = found.start()
        return (closing, -1) if final else None

    def _unended(self, front: int, limit: int) -> BlockSpan:
        content = self.content
        found = FRONT.match(content, front, limit)
        end = found.end() if found else front
        torn = limit < len(content) and content[limit - 1] != _NEWLINE and content.find(b"\n", end, limit) < 0
        end = limit if torn else max(self._trimmed(front, end), front)
        return BlockSpan(front, end, end, end, end, fault=_TORN if torn else _UNENDED)

    def _trimmed(self, start: int, limit: int) -> int:
        """Return the end of the last line before `limit` that is not blank; `start` if all are."""
        end = start + len(self.content[start:limit].rstrip(_BLANKS))
        return self._line_end(end, limit) if end > start else start

    def _line_end(self, start: int, limit: int) -> int:
        newline = self.content.find(b"\n", start, limit)
        return newline + 1 if newline >= 0 else limit
