"""COL116 health-pairs: a health check does not consist of `name=how:state` pairs.

Why: programs read these lines. They ignore a word that is not a pair, and the second of two pairs with one name.

Bad (chat.log):

    2026-02-22 03:30:01 CLAWDY -> JIM: [DEPIN-HEALTH] grass is up, nodepay=ext:up

Good (chat.log):

    2026-02-22 03:30:01 CLAWDY -> JIM: [DEPIN-HEALTH] grass=native:up nodepay=ext:up
"""

from typing import Final

from palaver.dialects.collab import health_report
from palaver.dialects.collab.grammar import HEALTH
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.masking.masks import clip

_TAG: Final = f"[{HEALTH}]".encode()


def check(file: CheckedFile) -> Violations:
    for place, message, raw in file.messages():
        if message.act == "health" and _TAG in raw.upper():
            wrong = health_report.strays(message.body)
            what = (
                f"{clip(wrong[0], 80)!r} is not a pair, or repeats a name"
                if wrong
                else "the health check is empty"
            )
            if wrong or not message.body.strip():
                yield Violation(place, what, "write name=how:state, separated by spaces")
