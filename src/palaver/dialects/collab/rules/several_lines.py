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

from palaver.dialects.collab.open_items import chat, line_count
from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    for each in chat(file):
        if (lines := line_count(each.raw)) > 1:
            yield each.violation(f"the message has {lines} lines", "write one line, or name a file")
