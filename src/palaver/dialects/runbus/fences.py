"""Code fences in a bus file: their content is text, even if it is a complete message.

An unclosed fence must not swallow the messages after it, and the fence of a later message must not seem to
close it. So a fence with an opener inside counts only if it is closed, no other `---` precedes that opener,
and it ends with the closing `---` of what it quotes. A fence that begins with the opener counts if it is
closed.

Each kind of line is searched once, so that reading a file takes linear time.
"""

import re
from bisect import bisect_left
from typing import Final

from palaver.dialects.runbus.grammar import OPENER, OPENER_AT, RULE_AT

_BLANKS: Final = b" \t\r\n"
#: Fences longer than this are treated alike.
_MARKS: Final = 8
_RULE: Final = re.compile(rb"^" + RULE_AT.pattern, re.M)
_CLOSERS: Final = {
    (mark, size): re.compile(b"^ {0,3}%s{%d,}[ \\t]*\\r?$" % (mark, size), re.M)
    for mark in (b"`", b"~")
    for size in range(3, _MARKS + 1)
}


def ends_with_rule(content: bytes, end: int) -> bool:
    """Return True if the line that ends at `end` is `---`."""
    return content[max(end - 3, 0) : end] == b"---" and content[max(end - 4, 0) : end - 3] in (b"", b"\n")


class Fences:
    """The code fences of some bytes. Lines that end before `known` are complete."""

    def __init__(self, content: bytes, known: int) -> None:
        self._content = content
        self._known = known
        self._found: dict[re.Pattern[bytes], list[tuple[int, int]]] = {}
        self._quotes: dict[int, int] = {}

    def end(self, line: re.Match[bytes]) -> int:
        """Return where the fence that a line opens ends, behind its last line; -1 if nothing closes it."""
        close, end = self._closer(line)
        return min(end + 1, self._known) if close >= 0 else -1

    def holds(self, line: re.Match[bytes]) -> bool:
        """Return True if a closed fence contains no message, or only quoted ones."""
        first = line.end() + 1
        close, _ = self._closer(line)
        opener, _ = self._next(OPENER, first)
        if opener < 0 or opener >= close or opener == first:
            return True
        if self.must_be_open(line):
            return False
        if close not in self._quotes:
            self._quotes[close] = self._quoted(close)
        quoted = self._quotes[close]
        return quoted >= first and not OPENER_AT.match(self._content, quoted)

    def must_be_open(self, line: re.Match[bytes]) -> bool:
        """Return True if a fence cannot contain the next message, because another `---` precedes it."""
        first = line.end() + 1
        opener, _ = self._next(OPENER, first)
        return opener >= 0 and self._next(_RULE, first)[0] < opener

    def _closer(self, line: re.Match[bytes]) -> tuple[int, int]:
        marks = line[1]
        return self._next(_CLOSERS[marks[:1], min(len(marks), _MARKS)], line.end())

    def _next(self, pattern: re.Pattern[bytes], place: int) -> tuple[int, int]:
        """Return where the next match of a pattern starts and ends, or twice -1."""
        spans = self._found.get(pattern)
        if spans is None:
            spans = [match.span() for match in pattern.finditer(self._content, 0, self._known)]
            self._found[pattern] = spans
        following = bisect_left(spans, (place, 0))
        return spans[following] if following < len(spans) else (-1, -1)

    def _quoted(self, close: int) -> int:
        """Return the `---` before the `---` with which a fence ends; -1 if it does not end with one."""
        content, end = self._content, close
        while end > 0 and content[end - 1] in _BLANKS:
            end -= 1
        if not ends_with_rule(content, end):
            return -1
        rules = self._found[_RULE]
        before = bisect_left(rules, (end - 3, 0)) - 1
        return rules[before][0] if before >= 0 else -1
