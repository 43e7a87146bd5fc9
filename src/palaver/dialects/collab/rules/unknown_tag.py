"""COL114 unknown-tag: a text begins with brackets that are not a tag, or with a tag that has no brackets.

Why: it is read as plain text, so no task is assigned and none is closed. Tags have a name after a colon
(`[TASK:name]`); only `[DEPIN-HEALTH]` and `[DEPIN-READY]` have none.

Bad (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK] Get BTC from CoinGecko
    2026-02-22 03:15:45 CLAWDY -> JIM: [FINISHED:price-check] BTC $94,230
    2026-02-22 03:15:46 CLAWDY -> JIM: DONE: BTC $94,230

Good (chat.log):

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] Get BTC from CoinGecko
    2026-02-22 03:15:45 CLAWDY -> JIM: [DONE:price-check] BTC $94,230
"""

import re
from typing import Final

from palaver.dialects.collab.act_text import has_tag
from palaver.dialects.collab.grammar import TAG_WITHOUT_BRACKETS, TAGS
from palaver.dialects.collab.open_items import between_agents
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.masking.masks import clip

_LIKE: Final = re.compile(r"\[([A-Z][A-Z_-]+)(?::[^\[\]\n]*)?\]")


def check(file: CheckedFile) -> Violations:
    for place, message, _ in between_agents(file):
        found = _LIKE.match(message.body) if message.act == "inform" and not message.tag else None
        if found and not has_tag(message.body):
            known = found[1] in TAGS
            what = f"{clip(found[0], 80)} has no name" if known else f"{clip(found[0], 80)} is not a tag"
            fix = f"write [{found[1]}:name]" if known else f"use one of {', '.join(TAGS)}"
            yield Violation(place, what, fix)
        elif bare := TAG_WITHOUT_BRACKETS.match(message.body) if message.act == "inform" else None:
            yield Violation(place, f"{bare[1]}: has no brackets", f"write [{bare[1]}:name]")
