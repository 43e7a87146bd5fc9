"""OFF106 time-goes-back: a line is older than the one before it.

Why: the logs are append-only and chronological. A line with an earlier time was inserted later, or the
writer's clock is wrong; an agent that reads on from the last time misses it.

Bad (messages/manager-inbox.log):

    [2026-02-11T10:05:00Z] [REPLY] To emp-a1: Port 8080.
    [2026-02-11T09:00:00Z] [REPLY] To emp-a1: Port 8081.

Good (messages/manager-inbox.log):

    [2026-02-11T10:05:00Z] [REPLY] To emp-a1: Port 8080.
    [2026-02-11T10:05:00Z] [REPLY] To emp-b2: The same.
"""

from typing import Final

from palaver.dialects.office.message_index import moment
from palaver.dialects.shared.rule import CheckedFile, Violations

LOOKS_BACK: Final = True


def check(file: CheckedFile) -> Violations:
    """Yield one violation for each such line; lines that the bus wrote for others have their own times."""
    latest = ""
    for each in file.messages():
        message = each.message
        if not message.at or message.auth != "channel":
            continue
        if latest and moment(message.at) < moment(latest):
            fix = "append each line at the end, with the time of writing"
            yield each.violation(f"{message.at} follows {latest}", fix)
        else:
            latest = message.at
