"""VER104 handoff-not-assigned: no assignment names the handoff, so the next session will not find it.

Why: "assign it, so next session finds it". Checked only together with assignment files.

Bad (.work/messages.jsonl; .work/.assignment-ceo holds `work_order:wo-1`):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"🤝 HANDOFF: Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}

Good (.work/messages.jsonl; .work/.assignment-ceo holds `mail:msg-1`):

    {"id":"msg-1","from":"ceo","to":"ceo","subject":"🤝 HANDOFF: Context","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"HANDOFF"}
"""

from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.vermas.records import AssignmentRecord

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    assigned = list(file.all_of(AssignmentRecord))
    named = {each.ref_id for each in assigned if each.ref_type == "mail"}
    for each in file.messages():
        message = each.message
        if assigned and message.act == "handoff" and message.id not in named:
            what = f"no assignment names the handoff {message.id}"
            yield each.violation(what, f"co assignment attach {message.id}")
