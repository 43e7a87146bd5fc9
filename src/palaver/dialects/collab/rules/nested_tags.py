"""COL110 nested-tags: a tag stands inside another, or right behind it.

Why: a message does one thing. Only the first tag is read, and one with brackets in it is no tag at all.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [DONE:price-check] [TASK:bot-check] Get trading bot PID
    2026-02-22 03:15:45 JIM -> CLAWDY: [TASK:[bot-check]] Get trading bot PID

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [HANDOFF:report] Write it to report.md. Reply [DONE:report] when done.
    2026-02-22 03:15:45 CLAWDY -> JIM: [DONE:report] 12 lines in report.md
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.content import has_tag
from palaver.dialects.collab.threads import letters
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "COL110"
_INSIDE: Final = re.compile(r"\[[A-Z][A-Z-]*:[^\[\]\n]*\[")


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message with a tag too many."""
    for place, message, _ in letters(source, parsed):
        behind = message.act != "inform" and has_tag(message.body)
        if behind or _INSIDE.match(message.body):
            what = "a tag right behind a tag" if behind else "a tag with brackets in its name"
            yield Finding(code=CODE, place=place, message=what, fix="write one tag, and one message for each")


RULE: Final = Rule(code=CODE, name="nested-tags", manual=__doc__, check=check)
