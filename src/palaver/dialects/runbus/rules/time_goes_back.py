"""RUN039 time-goes-back: a message is more than a minute older than the one above it.

Why: the file is append-only, so its times rise. If they do not, a clock is wrong, a time was made up, or a message
was inserted in the middle. A minute is allowed: several agents write at the same time.

Bad (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    codex FACT (messageId: MSG-20260126-100400-codex-a1b; timestamp: 2026-01-26T10:04:00Z): The tests are ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    codex FACT (messageId: MSG-20260126-101600-codex-a1b; timestamp: 2026-01-26T10:16:00Z): The tests are ready.
"""

from typing import Final

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.clock_text import to_epoch

LOOKS_BACK: Final = True
_SLACK_SECONDS: Final = 60


def check(file: CheckedFile) -> Violations:
    above = ""
    for entry in entries(file):
        at = entry.message.at
        if at and above and (to_epoch(above) or 0) - (to_epoch(at) or 0) > _SLACK_SECONDS:
            yield entry.violation(f"{at} follows {above}", "append at the end, with the current time in UTC")
        above = at or above
