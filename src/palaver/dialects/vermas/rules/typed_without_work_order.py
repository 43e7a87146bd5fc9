"""VER102 typed-without-work-order: mail about work does not name its work order.

Why: "be specific: include work order ids". The recipient must be able to act on it without asking.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/qa","to":"project-a/workers/slot0","subject":"Merged","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"MERGED"}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/qa","to":"project-a/workers/slot0","subject":"Merged","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"MERGED","metadata":{"work_order_id":"wo-1"}}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.vermas.grammar import TYPE_OF_ACT
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "VER102"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such message."""
    assert source.path in together
    for each in located_messages(source.path, parsed):
        kind = TYPE_OF_ACT.get(each.message.act)
        if kind is not None and kind.is_about_work and not each.message.task:
            what = f"{kind.name} {each.message.id} names no work order"
            yield each.finding(CODE, what, 'add "metadata":{"work_order_id":"wo-…"}')


RULE: Final = Rule(code=CODE, name="typed-without-work-order", manual=__doc__, check=check)
