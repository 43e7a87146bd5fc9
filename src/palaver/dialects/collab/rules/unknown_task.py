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

from typing import Final

from palaver.dialects.collab.open_items import OPENING, chat
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.message import Message

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    given = {each.task.casefold() for each in file.all_of(Message) if each.act in OPENING}
    for place, message, _ in chat(file):
        if message.act == "deliver" and message.task and message.task.casefold() not in given:
            what = f"the task {message.task} was never assigned"
            yield Violation(place, what, "use the name with which the task was assigned")
