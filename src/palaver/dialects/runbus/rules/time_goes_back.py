"""RUN039 time-goes-back: a message is older than the one above it.

Why: the file is append-only, so its times rise. If they do not, a clock is wrong or a
message was inserted in the middle.

Bad (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    codex FACT (messageId: MSG-20260126-101400-codex-a1b; timestamp: 2026-01-26T10:14:00Z): The tests are ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    codex FACT (messageId: MSG-20260126-101600-codex-a1b; timestamp: 2026-01-26T10:16:00Z): The tests are ready.
"""

from typing import Final

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    latest = ""
    for entry in entries(file):
        at = entry.message.at.removesuffix("Z")
        if at and at < latest:
            said = f"{entry.message.at} follows {latest}Z"
            yield entry.violation(said, "append at the end, with the current time in UTC")
        latest = max(latest, at)
