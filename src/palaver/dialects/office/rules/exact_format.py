"""OFF101 exact-format: a line can be read, but it differs from its template.

Why: "Workers must use the EXACT format". The readers of a log are language models and scripts that look for
the template; they miss a claim in another form, and the worker waits for an approval that never comes.

Bad (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [claim] task-004 | by: emp-a1 | title: Home Page | difficulty: 3 | deps-met: yes

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.office import grammar
from palaver.dialects.office.entry import is_exact
from palaver.dialects.office.grammar import BY_NAME, HEAD, NONE
from palaver.dialects.office.loose_fields import documented
from palaver.model.clock_text import to_utc
from palaver.model.dialect import Kind, Parsed, Rule, Source
from palaver.model.finding import Finding, Place
from palaver.model.message import Message

CODE: Final = "OFF101"

# Findings of the parser that already say that a line differs from its template.
_SAID: Final = frozenset(
    [
        grammar.NO_TIME,
        grammar.IMPOSSIBLE_TIME,
        grammar.FIELD_MISSING,
        grammar.UNKNOWN_TAG,
        grammar.BAD_TRAILER,
    ]
)
_VALUES: Final = {
    "difficulty": re.compile(r"[1-5]"),
    "criteria-met": re.compile(r"all"),
    "status": re.compile(r"working|waiting|blocked"),
}


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such line."""
    del together
    said = {finding.place.offset for finding in parsed.findings if finding.code in _SAID}
    for piece in parsed.pieces:
        if piece.kind is not Kind.EVENT or piece.start in said:
            continue
        start = piece.start - source.offset
        text = source.content[start : start + piece.length].decode().removesuffix("\n").removesuffix("\r")
        if piece.start == 0:
            text = text.removeprefix("\ufeff")
        why = _why(text, piece.values)
        if why:
            head = HEAD.match(text)
            tag = BY_NAME.get(re.sub("[ -]", "_", head["tag"].strip().upper())) if head else None
            yield Finding(
                code=CODE,
                place=Place(path=source.path, line=piece.line, offset=piece.start),
                message=why,
                fix=f"write: {documented(tag)}" if tag else "write a tag of the manual",
            )


def _why(text: str, values: tuple[object, ...]) -> str:
    if not is_exact(text):
        return "the line differs from its template"
    for value in values:
        if isinstance(value, Message) and value.act in ("claim", "deliver", "report"):
            for key, pattern in _VALUES.items():
                given = value.meta.get(key, NONE)
                if given != NONE and not (isinstance(given, str) and pattern.fullmatch(given)):
                    return f"{key}: {str(given)[:40]!a} is not a value of the template"
            read_at = value.meta.get("board-read-at", NONE)
            if read_at != NONE and not to_utc(str(read_at)):
                return f"board-read-at: {str(read_at)[:40]!a} is not a time"
    return ""


RULE: Final = Rule(code=CODE, name="exact-format", manual=__doc__, check=check)
