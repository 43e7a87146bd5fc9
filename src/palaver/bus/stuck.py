"""What is stuck, for a picture: all that is waited for and all mail that wants a move, each thing once.

The board decides about tasks and the open questions about questions; mail is listed only where neither knows
of it. Bounded: the newest questions and tasks are looked at, and so many are shown.
"""

from palaver.bus import waits
from palaver.bus.session import Session
from palaver.bus.waits import STOPPING, Wait
from palaver.model.limits import UNANSWERED
from palaver.model.message import PRIORITIES
from palaver.model.task import TASK_ACTS
from palaver.views.mail import inbox, questions, unanswered
from palaver.views.mail.threads import glance
from palaver.views.query import Query
from palaver.views.tasks import board

# What is waited for → the act that ends it.
WANTED = {
    "escalation": "answer",
    "ask": "answer",
    "approval": "approve",
    "block": "answer",
    "ping": "answer",
    "nudge": "answer",
    "mention": "ack",
    "shutdown": "leave",
    "start": "ack",
    "handoff": "ack",
    "check": "accept",
}
Item = dict[str, object]
# Older SQLite takes no more values in one question.
_AT_ONCE = 900


def stuck(core: Session, db: Query) -> dict[str, object]:
    """Return what is unanswered and who must move: escalations, the urgent, the oldest first; and circles."""
    found = waits.glance(core)
    nudged = {wait.movers[0]: wait.at for wait in found.waits if wait.kind == "nudge"}
    things: dict[tuple[str, str], Wait] = {}
    for wait in found.waits:
        if wait.kind == "nudge":
            continue
        first = things.setdefault(_key(wait), wait)
        if first is not wait:
            # What was asked of several is one thing.
            first.movers = [*first.movers, *wait.movers]
    urgent = _urgent(db, [wait.seq for wait in things.values()])
    order = sorted(
        things.values(),
        key=lambda wait: (
            wait.kind != "escalation",
            wait.seq not in urgent,
            wait.kind not in STOPPING,
            wait.seq,
        ),
    )
    items = [
        {**_shown(db, wait), "nudged": nudged.get("".join(wait.movers[:1]), "")}
        for wait in order[:UNANSWERED]
    ]
    mail = _mail(core, db, {wait.message for wait in order})
    told = sorted(
        [*items, *mail],
        key=lambda item: (
            item["kind"] != "escalation",
            item["priority"] != PRIORITIES[0],
            not item["stops"],
            item["seq"],
        ),
    )
    total = len(order) + len(mail)
    return {"unanswered": told[:UNANSWERED], "unanswered_total": total, "cycles": found.cycles}


def _key(wait: Wait) -> tuple[str, str]:
    """Return what makes two waits one thing: the message that asks, or the task that waits."""
    return ("message", wait.message) if wait.message else ("task", wait.task)


def _urgent(db: Query, numbers: list[int]) -> set[int]:
    """Return those of some messages that are urgent; a task waits since the message that moved it."""
    found: set[int] = set()
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows = db.execute(f"select seq from message where priority = 0 and seq in ({marks})", tuple(some))
        found.update(seq for (seq,) in rows)
    return found


def _shown(db: Query, wait: Wait) -> Item:
    """Return a wait as a list shows it: by the message that it began with, where there is one."""
    tried = None if wait.message else board.attempt(db, wait.seq)
    row = inbox.found(db, wait.message or (tried.message if tried else ""))
    plain: Item = {
        "id": "", "seq": wait.seq, "from": wait.waiter, "act": tried.act if tried else wait.kind,
        "priority": "normal", "subject": "", "gist": wait.gist, "thread": "", "task": wait.task,
        "at": wait.at,
    }  # fmt: skip
    shown = glance(row) if row is not None else plain
    return {
        **shown,
        # A task has a title; who gave it need not have said more.
        "subject": shown["subject"] or ("" if wait.message else wait.gist),
        "at": wait.at,
        "task": wait.task,
        "moves": not wait.message,
        "kind": wait.kind,
        "waiter": wait.waiter,
        "stops": wait.kind in STOPPING,
        "movers": list(wait.movers),
        "wanted": WANTED[wait.kind],
        "why": "",
    }


def _mail(core: Session, db: Query, known: set[str]) -> list[Item]:
    """Return mail that wants a move and is on no other list, then mail that reached nobody."""
    told: list[Item] = []
    usual = {"moves": False, "waiter": "", "stops": False, "nudged": ""}
    for seq, _, movers in unanswered.unanswered(db, UNANSWERED):
        row = inbox.at_seq(db, seq)
        if row is None or row.id in known or row.act in questions.WANTING:
            continue
        if row.task and row.act in TASK_ACTS and board.task(db, row.task) is not None:
            continue
        wanted = unanswered.WANTED[row.act]
        told.append({**glance(row), **usual, "kind": "mail", "movers": movers, "wanted": wanted, "why": ""})
    for seq, address, why in unanswered.astray(db, UNANSWERED // 4):
        row = inbox.at_seq(db, seq)
        if row is not None and row.id not in known:
            near = core.view.roster().nearest(address, roles=True)
            lost = {"kind": "astray", "movers": [row.sender], "wanted": "resend", "why": f"{address}: {why}"}
            told.append({**glance(row), **usual, **lost, "nearest": near})
    return told
