"""COL117 repeated-line: the log contains the same line twice, shortly after each other.

Why: a daemon and a poller both write it, and a task that is assigned twice is done twice.

Bad (chat.log):

    2026-02-22 03:15:44 JEREMY -> TEAM: pause the bot overnight
    2026-02-22 03:15:44 JEREMY -> TEAM: pause the bot overnight

Good (chat.log):

    2026-02-22 03:15:44 JEREMY -> TEAM: pause the bot overnight
"""

from typing import Final

from palaver.dialects.collab.open_items import chat
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.limits import LOOK_BACK_BYTES

LOOKS_BACK: Final = True


def check(file: CheckedFile) -> Violations:
    seen: dict[bytes, int] = {}
    for place, _, raw in chat(file):
        line = raw.rstrip()
        if line in seen and place.offset - seen[line] <= LOOK_BACK_BYTES:
            yield Violation(place, "the log has the same line already", "let one program write the log")
        seen[line] = place.offset
