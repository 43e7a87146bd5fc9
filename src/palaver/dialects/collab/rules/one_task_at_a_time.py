"""COL102 one-task-at-a-time: an agent is assigned a second task while the first is open.

Why: an agent that has two tasks drops one. The protocol: close the current task before opening a new
one, except where both agents know that the tasks run side by side. Say so in the text of the second one:
"in parallel", "concurrently" or "meanwhile".

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:50 JIM -> CLAWDY: [TASK:bot-check] Get trading bot PID
    2026-02-22 03:15:55 CLAWDY -> JIM: [DONE:price-check] BTC $94,230
    2026-02-22 03:16:00 CLAWDY -> JIM: [DONE:bot-check] PID 130815 running

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:50 JIM -> CLAWDY: [TASK:bot-check] In parallel, get trading bot PID
    2026-02-22 03:15:55 CLAWDY -> JIM: [DONE:price-check] BTC $94,230
    2026-02-22 03:16:00 CLAWDY -> JIM: [DONE:bot-check] PID 130815 running
"""

from typing import Final

from palaver.dialects.collab.open_items import OPENING, tasks
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.task import runs_in_parallel

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    for each, found in tasks(file):
        message = each.message
        if message.act not in OPENING or runs_in_parallel(message.body):
            continue
        for place, opened, _ in found.values():
            name = opened.task
            if name.casefold() != message.task.casefold() and set(opened.to) & set(message.to):
                what = f"a second task, but {name} on line {place.line} is open"
                fix = f"wait for [DONE:{name}] or [BLOCKED:{name}], or say that it runs in parallel"
                yield each.violation(what, fix)
                break
