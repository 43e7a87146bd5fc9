"""COL116 health-pairs: a health check that cannot be read as `name=how:state`.

Why: programs read these lines. What is no pair is not seen, and of two pairs with one name only the first is.

Bad (chat.log):

    2026-02-22 03:30:01 CLAWDY -> JIM: [DEPIN-HEALTH] grass is up, nodepay=ext:up

Good (chat.log):

    2026-02-22 03:30:01 CLAWDY -> JIM: [DEPIN-HEALTH] grass=native:up nodepay=ext:up
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab import health
from palaver.dialects.collab.grammar import HEALTH
from palaver.dialects.collab.threads import letters
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "COL116"
_TAG: Final = f"[{HEALTH}]".encode()


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each health check with a word that is no pair, or with no word at all."""
    for place, message, raw in letters(source, parsed):
        if message.act != "health" or _TAG not in raw.upper():
            continue
        wrong = health.strays(message.body)
        if wrong or not message.body.strip():
            what = f"{wrong[0][:80]!r} is no pair of its own" if wrong else "a health check of nothing"
            yield Finding(code=CODE, place=place, message=what, fix="write name=how:state, parted by spaces")


RULE: Final = Rule(code=CODE, name="health-pairs", manual=__doc__, check=check)
