"""COL104 result-on-close: a task is closed without its result, or with a result of several lines.

Why: "Done." makes the other agent ask, and readers drop a second line, which the log's format does not have.
The protocol: `[DONE:name]` always includes the result in one line.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:price-check] Done.

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:price-check] BTC $94,230 as of 03:15 UTC
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.threads import letters
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding
from palaver.model.task import says_nothing

CODE: Final = "COL104"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each task closed without a result, or with a result of several lines."""
    for letter in letters(source, parsed):
        place, message, _ = letter
        if message.act != "deliver":
            continue
        if says_nothing(message.act, message.body):
            what = f"{message.task or 'a task'} is closed without its result"
            yield Finding(code=CODE, place=place, message=what, fix="give the result on the same line")
        elif letter.lines > 1:
            what = f"the result of {message.task or 'a task'} has several lines"
            yield Finding(code=CODE, place=place, message=what, fix="write one line, or name a file")


RULE: Final = Rule(code=CODE, name="result-on-close", manual=__doc__, check=check)
