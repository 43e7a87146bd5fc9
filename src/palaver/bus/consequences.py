"""What follows from a move, said by `palaver` itself: once, however many processes say it.

The fold notes what is due, with a key made from its cause. Whoever comes by says it; the log takes each key
once, and the fold takes the note away. A command that dies in between leaves it to the next one.

A bare module: `palaver task` imports it (see docs/adr/0006).
"""

from palaver.bus.core import Core, draft
from palaver.bus.sending import mail_sent
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.limits import DUE
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.views import board
from palaver.views.asked import Asked
from palaver.views.board import Due

# Each rule: the act, and the words; `{why}` is why the move that caused it had no effect.
_SAID = {
    "second-claim": ("refuse", "{task} is not yours: {why}."),
    "no-effect": ("inform", "What you said about {task} had no effect: {why}."),
    "no-power": ("inform", "{actor} said '{act}' about {task}, and it has no effect: {why}."),
    "unblocked": ("inform", "{task} is ready: all that it waited for is done."),
    "lease-ended": ("inform", "Your claim of {task} has ended: nothing was heard of it for too long."),
    "auto-approve": ("approve", ""),
    "auto-accept": ("accept", ""),
}
# Something that is said may have consequences of its own; chains are short.
_ROUNDS = 8


def settle(core: Core) -> int:
    """Say all that is due; return how much that was. What cannot be said now is left to the next one."""
    said = 0
    for _ in range(_ROUNDS):
        try:
            db = core.view.current()
            rows = board.due(db, DUE)
            if not rows or core.view.behind:
                break
            [(since,)] = db.execute("select seq from place")
            core.log.append([_draft(db, row) for row in rows], since=since)
        except Refusal:
            # The move itself stands; its consequences can wait.
            break
        core.bells.ring(sorted({row.recipient for row in rows}))
        said += len(rows)
    return said


def _draft(db: Asked, row: Due) -> Draft:
    if row.rule == "clear":
        data: dict[str, object] = {"agent": row.recipient, "previous_ref": row.task}
        return draft("assignment.cleared", BUS, data, key=row.key, caused_by=row.cause)
    return mail_sent(_message(db, row), key=row.key, caused_by=row.cause)


def _message(db: Asked, row: Due) -> Message:
    act, words = _SAID[row.rule]
    tried = board.attempt(db, row.seq)
    return Message(
        sender=BUS,
        to=[row.recipient],
        act=act,
        body=words.format(
            task=row.task,
            why=tried.why if tried else "",
            actor=tried.actor if tried else "",
            act=tried.act if tried else "",
        ),
        task=row.task,
        reply_to=tried.message if tried and row.rule == "second-claim" else "",
        meta={"rule": row.rule},
        auth="token",
    )
