"""COL117 repeated-line: the log contains the same line twice.

Why: a daemon and a poller both write it, and a task that is assigned twice is done twice.

Bad (chat.log):

    2026-02-22 03:15:44 JEREMY -> TEAM: pause the bot overnight
    2026-02-22 03:15:44 JEREMY -> TEAM: pause the bot overnight

Good (chat.log):

    2026-02-22 03:15:44 JEREMY -> TEAM: pause the bot overnight
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.threads import chat
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "COL117"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message with the same bytes as an earlier one."""
    seen: dict[bytes, int] = {}
    for place, _, raw in chat(source, parsed):
        line = raw.rstrip()
        if line in seen:
            what = f"it repeats line {seen[line]}"
            yield Finding(code=CODE, place=place, message=what, fix="let one program write the log")
        seen.setdefault(line, place.line)


RULE: Final = Rule(code=CODE, name="repeated-line", manual=__doc__, check=check)
