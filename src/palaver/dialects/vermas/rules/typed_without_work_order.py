"""VER102 typed-without-work-order: mail about work does not say which work order.

Why: "be specific: include work order ids". Whoever gets it must be able to act without asking.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/qa","to":"project-a/workers/slot0","subject":"Merged","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"MERGED"}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/qa","to":"project-a/workers/slot0","subject":"Merged","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"MERGED","metadata":{"work_order_id":"wo-1"}}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.vermas.grammar import CARRIERS
from palaver.dialects.vermas.rules.places import letters
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "VER102"
_ABOUT_WORK: Final = ("deliver", "ready", "accept", "rework")


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such message."""
    assert source.path in together
    for place, message in letters(source, parsed):
        if message.act in _ABOUT_WORK and not message.task:
            what = f"{CARRIERS[message.act]} {message.id} names no work order"
            yield Finding(code=CODE, place=place, message=what, fix='add "metadata":{"work_order_id":"wo-…"}')


RULE: Final = Rule(code=CODE, name="typed-without-work-order", manual=__doc__, check=check)
