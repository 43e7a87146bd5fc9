"""COL109 several-lines: a message has several lines in the log.

Why: only the first line has a time and a sender. Readers that go line by line drop the others, or take one that
looks like a message for a message. Palaver joins them; other readers do not.

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
            what = f"the message has {letter.lines} lines"
            yield Finding(code=CODE, place=letter.place, message=what, fix="write one line, or name a file")


RULE: Final = Rule(code=CODE, name="several-lines", manual=__doc__, check=check)
