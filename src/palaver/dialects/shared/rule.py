"""Rules: what a check gets, what it yields, and how its manual page makes it a `LintRule`.

The module of a rule exports `RULE` alone. Its docstring is the manual page, which begins with the code and
the name: `COL109 several-lines: …`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from palaver.model.dialect import Finding, LintRule, Parsed, Place, Source
from palaver.model.message import Message


class Violation(NamedTuple):
    """Something that a rule has found: where, what is wrong, and the way out."""

    place: Place
    message: str
    fix: str


class Located(NamedTuple):
    """A message of a file: where it begins, and its bytes there."""

    place: Place
    message: Message
    raw: bytes

    def violation(self, message: str, fix: str) -> Violation:
        """Return a violation at this message."""
        return Violation(self.place, message, fix)


class CheckedFile(NamedTuple):
    """A file that is checked, together with others."""

    source: Source
    parsed: Parsed
    #: All files that are checked together, by path; this one is among them.
    together: Mapping[str, Parsed]

    def messages(self) -> Iterator[Located]:
        """Yield the messages of the file, in order."""
        content, offset = self.source.content, self.source.offset
        for piece in self.parsed.pieces:
            for value in piece.values:
                if type(value) is Message:
                    place = Place(path=self.source.path, line=piece.line, offset=piece.start)
                    start = piece.start - offset
                    yield Located(place, value, content[start : start + piece.length])


Check = Callable[[CheckedFile], Iterator[Violation]]


def rule(manual: str, check: Check) -> LintRule:
    """Return the rule that a manual page describes and that `check` implements."""
    code, name = _title(manual)

    def findings(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
        for place, message, fix in check(CheckedFile(source, parsed, together)):
            yield Finding(code=code, place=place, message=message, fix=fix)

    return LintRule(code=code, name=name, manual=manual, check=findings)


def parser_rule(manual: str) -> LintRule:
    """Return the rule that documents a finding which the parser already reports on intake."""
    code, name = _title(manual)

    def findings(_source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
        return (finding for finding in parsed.findings if finding.code == code)

    return LintRule(code=code, name=name, manual=manual, check=findings)


def _title(manual: str) -> tuple[str, str]:
    """Return the code and the name with which a manual page begins."""
    code, name = manual.partition(":")[0].split()
    return code, name
