"""COL101 answer-before-asking: an agent assigns a task before it answers a question.

Why: the agent that asked cannot continue, and now has more to do. The protocol: if you receive a `[QUESTION:]`, answer it
before sending a new task.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:balance] Get the Kraken balance
    2026-02-22 03:15:46 CLAWDY -> JIM: [QUESTION:auth] Which API key should I use for Kraken?
    2026-02-22 03:15:50 JIM -> CLAWDY: [TASK:price-check] In parallel, get BTC from CoinGecko
    2026-02-22 03:15:55 CLAWDY -> JIM: [DONE:price-check] BTC $94,230
    2026-02-22 03:16:00 CLAWDY -> JIM: [BLOCKED:balance] No key for Kraken

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:balance] Get the Kraken balance
    2026-02-22 03:15:46 CLAWDY -> JIM: [QUESTION:auth] Which API key should I use for Kraken?
    2026-02-22 03:15:48 JIM -> CLAWDY: [ANSWER:auth] The read-only one
    2026-02-22 03:15:50 JIM -> CLAWDY: [TASK:price-check] In parallel, get BTC from CoinGecko
    2026-02-22 03:15:55 CLAWDY -> JIM: [DONE:price-check] BTC $94,230
    2026-02-22 03:16:00 CLAWDY -> JIM: [DONE:balance] $1,204.11
"""

from typing import Final

from palaver.dialects.collab.open_items import OPENING, exchanges
from palaver.dialects.collab.parties import parties_of
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    for each, waiting, _ in exchanges(file):
        if each.message.act in OPENING and waiting:
            place, question, _ = waiting[0]
            name = f"[QUESTION:{question.task}]" if question.task else "the question"
            what = f"a new task, but {name} on line {place.line} is unanswered"
            name = parties_of(file.source.mount).written(question.sender)
            yield each.violation(what, f"answer {name} first")
