"""COL110 nested-tags: a tag is inside another, or directly follows it.

Why: a message does one thing. Only the first tag is read, and a tag with brackets in its name is not a tag.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [DONE:price-check] [TASK:bot-check] Get trading bot PID
    2026-02-22 03:15:45 JIM -> CLAWDY: [TASK:[bot-check]] Get trading bot PID

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [HANDOFF:report] Write it to report.md. Reply [DONE:report] when done.
    2026-02-22 03:15:45 CLAWDY -> JIM: [DONE:report] 12 lines in report.md
"""

import re
from typing import Final

from palaver.dialects.collab.act_text import has_tag
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations

_INSIDE: Final = re.compile(r"\[[A-Z][A-Z-]*:[^\[\]\n]*\[")


def check(file: CheckedFile) -> Violations:
    for place, message, _ in file.messages():
        behind = message.act != "inform" and has_tag(message.body)
        if behind or _INSIDE.match(message.body):
            what = "a tag directly follows another" if behind else "a tag has brackets in its name"
            yield Violation(place, what, "write one message for each tag")
