"""COL103 no-hanging-threads: a task is never closed.

Why: the other agent cannot know whether it was done. The protocol: every `[TASK:]` gets either `[DONE:]` or `[BLOCKED:]`, no
silent drops. A `[SKIP:]` also closes it, and a `[RETRY:]` reopens it.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [ACK:price-check] On it.

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [ACK:price-check] On it.
    2026-02-22 03:15:50 CLAWDY -> JIM: [BLOCKED:price-check] CoinGecko 429 rate limit
"""

from typing import Final

from palaver.dialects.collab.open_items import tasks
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    # All rows have the same table: after the last message it has the open tasks.
    rows = list(tasks(file))
    for opened in rows[-1][1].values() if rows else ():
        name = opened.message.task
        what = f"{name} has neither [DONE:{name}] nor [BLOCKED:{name}]"
        yield opened.violation(what, "close it with its result or the reason")
