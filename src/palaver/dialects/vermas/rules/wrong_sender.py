"""VER101 wrong-sender: a typed message is sent by, or to, an agent of the wrong role.

Why: each message type is one step of a flow. If a WORKER_DONE skips the supervisor, no agent passes the work
on to QA. A supervisor may pass on to the worker what QA has said of an order.

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/workers/slot0","to":"ceo","subject":"Done","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"WORKER_DONE","metadata":{"work_order_id":"wo-1"}}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/supervisor","subject":"Done","body":"x","timestamp":"2026-01-01T00:00:00Z","type":"WORKER_DONE","metadata":{"work_order_id":"wo-1"}}
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.vermas.grammar import TYPE_OF_ACT, role_of
from palaver.model.limits import LOOK_BACK_BYTES
from palaver.model.message import Message

LOOKS_BACK: Final = True


def check(file: CheckedFile) -> Violations:
    said: dict[tuple[str, str], int] = {}
    for each in file.messages():
        message, offset = each.message, each.place.offset
        about = message.act, message.task
        is_so = about in said and offset - said[about] <= LOOK_BACK_BYTES
        for what, fix in find_wrong_roles(message, is_so=is_so):
            yield each.violation(what, fix)
        if role_of(message.sender) == "qa":
            said[about] = offset


def find_wrong_roles(message: Message, *, is_so: bool) -> Iterator[tuple[str, str]]:
    """Yield which role of the sender or of a recipient is wrong for the type of a message, and the fix.

    A supervisor may pass on what is so: QA has said it of the same work order.
    """
    kind = TYPE_OF_ACT.get(message.act)
    if kind is None:
        return
    role = role_of(message.sender)
    is_passed_on = is_so and role == "supervisor"
    if kind.senders and role and role not in kind.senders and not is_passed_on:
        what = f"{kind.name} comes from {message.sender}, whose role is {role}"
        yield what, f"let the {' or '.join(kind.senders)} send it"
    for recipient in message.to:
        role = role_of(recipient)
        if kind.recipients and role and role not in kind.recipients:
            what = f"{kind.name} goes to {recipient}, whose role is {role}"
            yield what, f"send it to the {' or '.join(kind.recipients)}"
