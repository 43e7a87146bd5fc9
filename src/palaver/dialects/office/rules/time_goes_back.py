"""OFF106 time-goes-back: a line is a minute or more older than one before it.

Why: the logs are append-only and chronological. A line with an earlier time was inserted later, or the
writer's clock is wrong; an agent that reads on from the last time misses it. Less than a
minute is allowed: the bus writes to the same files, with its own clock and fractions of a second.

Bad (messages/manager-inbox.log):

    [2026-02-11T10:05:00Z] [REPLY] To emp-a1: Port 8080.
    [2026-02-11T09:00:00Z] [REPLY] To emp-a1: Port 8081.

Good (messages/manager-inbox.log):

    [2026-02-11T10:05:00Z] [REPLY] To emp-a1: Port 8080.
    [2026-02-11T10:04:59Z] [REPLY] To emp-b2: The same.
"""

from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.clock_text import to_epoch

LOOKS_BACK: Final = True
_MINUTE: Final = 60


def check(file: CheckedFile) -> Violations:
    """Yield one violation for each such line; lines that the bus wrote for others have their own times."""
    latest, latest_second = "", 0
    for each in file.messages():
        message = each.message
        second = to_epoch(message.at)
        if second is None or message.auth != "channel":
            continue
        if latest_second - second >= _MINUTE:
            fix = "append each line at the end, with the time of writing"
            yield each.violation(f"{message.at} follows {latest}", fix)
        elif second >= latest_second:
            latest, latest_second = message.at, second
