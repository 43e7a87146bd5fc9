"""VER102 typed-without-work-order: mail about work does not name its work order.

Why: "be specific: include work order ids". The recipient must be able to act on it without asking.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/qa","to":"project-a/workers/slot0","subject":"Merged","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"MERGED"}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/qa","to":"project-a/workers/slot0","subject":"Merged","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"MERGED","metadata":{"work_order_id":"wo-1"}}
"""

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.vermas.grammar import TYPE_OF_ACT


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        kind = TYPE_OF_ACT.get(each.message.act)
        if kind is not None and kind.is_about_work and not each.message.task:
            what = f"{kind.name} {each.message.id} names no work order"
            yield each.violation(what, 'add "metadata":{"work_order_id":"wo-…"}')
