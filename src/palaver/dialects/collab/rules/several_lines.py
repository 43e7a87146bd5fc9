"""COL109 several-lines: a message goes over several lines of the log.

Why: only the first one has a time and a sender. Readers that go line by line drop the others, and a line that
looks like a message of its own is taken for one. Palaver joins them; nobody else does.

Bad (chat.log):

    2026-02-22 03:15:46 CLAWDY -> JIM: [STATUS:report] Two things are missing:
    the prices
    and the dates

Good (chat.log):

    2026-02-22 03:15:46 CLAWDY -> JIM: [STATUS:report] Two things are missing: the prices and the dates
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.threads import chat
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "COL109"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message of more than one line."""
    for letter in chat(source, parsed):
        if letter.lines > 1:
            what = f"one message over {letter.lines} lines"
            yield Finding(code=CODE, place=letter.place, message=what, fix="write one line, or name a file")


RULE: Final = Rule(code=CODE, name="several-lines", manual=__doc__, check=check)
