"""OFF101 exact-format: a line can be read, but it differs from its template.

Why: "Workers must use the EXACT format". The readers of a log are language models and scripts that look for
the template; they miss a claim in another form, and the worker waits for an approval that never comes.

Bad (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [claim] task-004 | by: emp-a1 | title: Home Page | difficulty: 3 | deps-met: yes

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes
"""

import re
from typing import Final

from palaver.dialects.office.entry import is_exact
from palaver.dialects.office.grammar import BY_NAME, HEAD, NONE, VALUES, narrowed
from palaver.dialects.office.loose_fields import documented
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.clock_text import to_utc
from palaver.model.masking.masks import clip
from palaver.model.message import Message

# Findings of the parser that already say that a line differs from its template.
_REPORTED: Final = frozenset(["OFF020", "OFF021", "OFF023", "OFF024", "OFF026", "OFF027"])


def check(file: CheckedFile) -> Violations:
    reported = {finding.place.offset for finding in file.parsed.findings if finding.code in _REPORTED}
    for each in file.messages():
        if each.place.offset in reported:
            continue
        text = each.raw.decode().rstrip(" \t\r\n")
        if each.place.offset == 0:
            text = text.removeprefix("\ufeff")
        if why := _why(text, each.message):
            head = HEAD.match(narrowed(text))
            tag = BY_NAME.get(re.sub("[ -]", "_", head["tag"].strip().upper())) if head else None
            yield each.violation(why, f"write: {documented(tag)}" if tag else "write a tag of the manual")


def _why(text: str, message: Message) -> str:
    if not is_exact(text):
        return "the line differs from its template"
    if message.act not in ("claim", "deliver", "report"):
        return ""
    for key, pattern in VALUES.items():
        given = message.meta.get(key, NONE)
        if given != NONE and not (isinstance(given, str) and pattern.fullmatch(given)):
            return f"{key}: {clip(str(given), 40)!r} is not a value of the template"
    read_at = message.meta.get("board-read-at", NONE)
    if read_at != NONE and not to_utc(str(read_at)):
        return f"board-read-at: {clip(str(read_at), 40)!r} is not a time"
    return ""
