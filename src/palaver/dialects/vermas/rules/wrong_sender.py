"""VER101 wrong-sender: a typed message is sent by, or to, an agent of the wrong role.

Why: each message type is one step of a flow. If a WORKER_DONE skips the supervisor, no agent passes the work
on to QA.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/workers/slot0","to":"ceo","subject":"Done","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"WORKER_DONE","metadata":{"work_order_id":"wo-1"}}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/supervisor","subject":"Done","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"WORKER_DONE","metadata":{"work_order_id":"wo-1"}}
"""

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.vermas.grammar import TYPE_OF_ACT, role_of


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        message = each.message
        kind = TYPE_OF_ACT.get(message.act)
        if kind is None:
            continue
        role = role_of(message.sender)
        if kind.senders and role and role not in kind.senders:
            what = f"{kind.name} comes from {message.sender}, whose role is {role}"
            yield each.violation(what, f"let the {' or '.join(kind.senders)} send it")
        for recipient in message.to:
            role = role_of(recipient)
            if kind.recipients and role and role not in kind.recipients:
                what = f"{kind.name} goes to {recipient}, whose role is {role}"
                yield each.violation(what, f"send it to the {' or '.join(kind.recipients)}")
