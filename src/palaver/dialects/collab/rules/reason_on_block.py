"""COL105 reason-on-block: a task is blocked without a reason, or with a reason of several lines.

Why: without the reason no agent can help. The protocol: `[BLOCKED:name]` always includes why; include a retry
suggestion if it is obvious.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [BLOCKED:price-check] Blocked.

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [BLOCKED:price-check] CoinGecko 429 rate limit, retry in 60s
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.threads import letters
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding
from palaver.model.task import says_nothing

CODE: Final = "COL105"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each block without a reason, or with a reason of several lines."""
    for letter in letters(source, parsed):
        place, message, _ = letter
        if message.act != "block":
            continue
        if says_nothing(message.act, message.body):
            what = f"{message.task or 'a task'} is blocked without a reason"
            yield Finding(code=CODE, place=place, message=what, fix="give the reason on the same line")
        elif letter.lines > 1:
            what = f"the reason that blocks {message.task or 'a task'} has several lines"
            yield Finding(code=CODE, place=place, message=what, fix="write one line, or name a file")


RULE: Final = Rule(code=CODE, name="reason-on-block", manual=__doc__, check=check)
