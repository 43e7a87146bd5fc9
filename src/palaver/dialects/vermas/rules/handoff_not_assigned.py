"""VER104 handoff-not-assigned: no assignment names the handoff, so the next session will not find it.

Why: "assign it, so next session finds it". Checked only together with assignment files.

Bad (.work/messages.jsonl; .work/.assignment-ceo holds `work_order:wo-1`):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"🤝 HANDOFF: Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}

Good (.work/messages.jsonl; .work/.assignment-ceo holds `mail:msg-1`):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"🤝 HANDOFF: Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.dialects.vermas.values import Assignment
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "VER104"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such message."""
    assigned = [
        value
        for other in together.values()
        for piece in other.pieces
        for value in piece.values
        if isinstance(value, Assignment)
    ]
    named = {each.ref_id for each in assigned if each.ref_type == "mail"}
    for each in located_messages(source.path, parsed):
        message = each.message
        if assigned and message.act == "handoff" and message.id not in named:
            what = f"no assignment names the handoff {message.id}"
            yield each.finding(CODE, what, f"co assignment attach {message.id}")


RULE: Final = Rule(code=CODE, name="handoff-not-assigned", manual=__doc__, check=check)
