"""COL115 done-for-unknown-task: a task is closed that was never assigned.

Why: either the name is wrong and the real task stays open, or work was done without an assignment.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:price] BTC $94,230
    2026-02-22 03:15:47 CLAWDY -> JIM: [DONE:price-check] BTC $94,230

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:price-check] BTC $94,230
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.threads import OPENING, chat
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "COL115"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each closed task that neither the log nor the inbox assigns."""
    given = {
        message.task.casefold()
        for other in together.values()
        for message in other.messages
        if message.act in OPENING
    }
    for place, message, _ in chat(source, parsed):
        if message.act == "deliver" and message.task and message.task.casefold() not in given:
            what = f"the task {message.task} was never assigned"
            yield Finding(
                code=CODE, place=place, message=what, fix="use the name with which the task was assigned"
            )


RULE: Final = Rule(code=CODE, name="done-for-unknown-task", manual=__doc__, check=check)
