"""Rules: what a check gets, what it yields, and how the module of a rule becomes a `LintRule`.

The docstring of the module is the manual page, which begins with code and name: `COL109 several-lines: …`.
Its `check` yields the violations; a module without one documents what the parser already reports on intake.
A module with `NEEDS_CONTEXT` judges a line by other lines, too; one with `LOOKS_BACK` by those shortly above
it. One with `SPARES_ANSWERS` allows it if it answers a question, and the live bus knows that by itself.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import NamedTuple, TypeVar

from palaver.model.masking.masks import clip
from palaver.model.message import Message
from palaver.model.mounted_files import Check, Finding, LintRule, Parsed, Place, Source

_T = TypeVar("_T")


class Violation(NamedTuple):
    """Something that a rule has found: where, what is wrong, and the way out."""

    place: Place
    message: str
    fix: str


Violations = Iterator[Violation]


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

    def all_of(self, kind: type[_T]) -> Iterator[_T]:
        """Yield the values of a type in all files, this one included."""
        for parsed in {**self.together, self.source.path: self.parsed}.values():
            yield from (value for piece in parsed.pieces for value in piece.values if isinstance(value, kind))

    def messages(self) -> Iterator[Located]:
        """Yield the messages of the file, in order."""
        content, offset = self.source.content, self.source.offset
        for piece in self.parsed.pieces:
            for value in piece.values:
                if type(value) is Message:
                    place = Place(path=self.source.path, line=piece.line, offset=piece.start)
                    start = piece.start - offset
                    yield Located(place, value, content[start : start + piece.length])


def check_unique_ids(file: CheckedFile, *, fix: str) -> Violations:
    """Yield the messages that have the id of an earlier one."""
    first: dict[str, int] = {}
    for each in file.messages():
        message_id, line = each.message.id, each.place.line
        if message_id and first.setdefault(message_id, line) != line:
            yield each.violation(f"{clip(message_id, 80)} is also the id of line {first[message_id]}", fix)


def load_rules(package: str, *modules: str, expand: Callable[[str], str] = str) -> tuple[LintRule, ...]:
    """Return the rules of a package; `expand` writes out the short examples of their manual pages."""
    return tuple(_load(f"{package}.{name}", expand) for name in modules)


def _load(module: str, expand: Callable[[str], str]) -> LintRule:
    found = import_module(module)
    manual = expand(found.__doc__ or "")
    code, name = manual.partition(":")[0].split()
    return LintRule(
        code=code,
        name=name,
        manual=manual,
        check=_check(code, getattr(found, "check", None)),
        needs_context=getattr(found, "NEEDS_CONTEXT", False),
        looks_back=getattr(found, "LOOKS_BACK", False),
        spares_answers=getattr(found, "SPARES_ANSWERS", False),
    )


def _check(code: str, check: Callable[[CheckedFile], Violations] | None) -> Check:
    def findings(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
        if check is None:
            yield from (finding for finding in parsed.findings if finding.code == code)
            return
        for place, message, fix in check(CheckedFile(source, parsed, together)):
            yield Finding(code=code, place=place, message=message, fix=fix)

    return findings
