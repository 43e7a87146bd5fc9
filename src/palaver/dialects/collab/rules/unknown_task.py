"""COL115 unknown-task: a line is about a task that was never assigned.

Why: either the name is wrong and the real task stays as it is, or work is done that nobody asked for.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [ACK:price] On it.
    2026-02-22 03:15:47 CLAWDY -> JIM: [DONE:price-check] BTC $94,230

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [ACK:price-check] On it.
    2026-02-22 03:15:47 CLAWDY -> JIM: [DONE:price-check] BTC $94,230
"""

from typing import Final

from palaver.dialects.collab.open_items import OPENING, chat
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.message import Message
from palaver.model.task import TASK_ACTS

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    given, asked = _names(file, *OPENING), _names(file, "ask")
    for place, message, _ in chat(file):
        name = message.task.casefold()
        # A question is acknowledged by its topic.
        is_known = name in given or (message.act == "ack" and name in asked)
        if name and message.act in TASK_ACTS and not is_known:
            what = f"the task {message.task} was never assigned"
            yield Violation(place, what, "use the name with which the task was assigned")


def _names(file: CheckedFile, *acts: str) -> set[str]:
    return {each.task.casefold() for each in file.all_of(Message) if each.act in acts}
