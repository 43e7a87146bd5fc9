"""Code fences in a bus file: their content is text, even if it is a complete message.

An unclosed fence must not swallow the messages after it, and the fence of a later message must not seem to
close it. So a fence with an opener inside counts only if it is closed, no other `---` precedes that opener,
and it ends with the closing `---` of what it quotes. A fence that begins with the opener counts if it is
closed.

Look-ahead results are cached, so that reading a file takes linear time.
"""

import re
from typing import Final

from palaver.dialects.runbus.grammar import OPENER, OPENER_AT, RULE_AT

_BLANKS: Final = b" \t\r\n"
_NEWLINE: Final = 10
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


class _Ahead:
    """The next match of a pattern, cached for all places before it."""

    __slots__ = ("_content", "_end", "_found", "_known", "_pattern", "_since")

    def __init__(self, pattern: re.Pattern[bytes], content: bytes, known: int) -> None:
        self._pattern = pattern
        self._content = content
        self._known = known
        self._since = self._found = self._end = -1

    def at(self, place: int) -> tuple[int, int]:
        """Return where the next match starts and ends, or twice -1."""
        if self._since < 0 or place < self._since or 0 <= self._found < place:
            match = self._pattern.search(self._content, place, self._known)
            self._found, self._end = match.span() if match else (-1, -1)
            self._since = place
        return self._found, self._end


class Fences:
    """The code fences of some bytes, of which the lines that end before `known` are complete."""

    __slots__ = ("_closers", "_content", "_known", "_openers", "_quotes", "_rules")

    def __init__(self, content: bytes, known: int) -> None:
        self._content = content
        self._known = known
        self._openers = _Ahead(OPENER, content, known)
        self._rules = _Ahead(_RULE, content, known)
        self._closers: dict[tuple[bytes, int], _Ahead] = {}
        self._quotes: dict[int, int] = {}

    def end(self, line: re.Match[bytes]) -> int:
        """Return where the fence that a line opens ends, behind its last line; -1 if nothing closes it."""
        close, end = self._closer(line)
        return min(end + 1, self._known) if close >= 0 else -1

    def holds(self, line: re.Match[bytes]) -> bool:
        """Return True if a closed fence contains no message, or only quoted ones."""
        first = line.end() + 1
        close, _ = self._closer(line)
        opener, _ = self._openers.at(first)
        if opener < 0 or opener >= close or opener == first:
            return True
        if self.must_be_open(line):
            return False
        quoted = self._quoted(close)
        return quoted >= first and not OPENER_AT.match(self._content, quoted)

    def must_be_open(self, line: re.Match[bytes]) -> bool:
        """Return True if a fence cannot contain the next message, because another `---` precedes it."""
        first = line.end() + 1
        opener, _ = self._openers.at(first)
        return opener >= 0 and self._rules.at(first)[0] < opener

    def _closer(self, line: re.Match[bytes]) -> tuple[int, int]:
        marks = line[1]
        kind = (marks[:1], min(len(marks), _MARKS))
        ahead = self._closers.get(kind)
        if ahead is None:
            ahead = self._closers[kind] = _Ahead(_CLOSERS[kind], self._content, self._known)
        return ahead.at(line.end())

    def _quoted(self, close: int) -> int:
        """Return the `---` before the `---` with which a fence ends; -1 if it does not end with one."""
        known = self._quotes.get(close)
        if known is None:
            known = self._quotes[close] = self._look_back(close)
        return known

    def _look_back(self, close: int) -> int:
        content, end = self._content, close
        while end > 0 and content[end - 1] in _BLANKS:
            end -= 1
        if not ends_with_rule(content, end):
            return -1
        at = end - 3
        while (at := content.rfind(b"---", 0, at)) >= 0:
            if (at == 0 or content[at - 1] == _NEWLINE) and RULE_AT.match(content, at):
                return at
        return -1
