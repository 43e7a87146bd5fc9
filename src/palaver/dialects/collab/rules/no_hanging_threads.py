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

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.threads import open_tasks
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "COL103"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each task that is open at the end."""
    for task in open_tasks(source, parsed):
        what = f"{task.name} has neither [DONE:{task.name}] nor [BLOCKED:{task.name}]"
        yield Finding(code=CODE, place=task.place, message=what, fix="close it with its result or the reason")


RULE: Final = Rule(code=CODE, name="no-hanging-threads", manual=__doc__, check=check)
