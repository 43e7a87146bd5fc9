"""Everything unanswered, for the overview: all waits and all mail that asks for an action, each thing once.

The board decides about tasks and the open questions about questions; mail is listed only if neither knows it.
Bounded: only the newest questions and tasks are looked at, and only so many items are shown.
"""

from dataclasses import replace

from palaver.bus.session import Session
from palaver.bus.tasks.wait_list import Wait, newest_waits
from palaver.model.limits import UNANSWERED
from palaver.model.message import URGENT
from palaver.model.plain import numbered
from palaver.model.task import TASK_ACTS
from palaver.views.mail import inbox, open_questions, unanswered
from palaver.views.mail.threads import glance
from palaver.views.query import Query
from palaver.views.tasks import board

Item = dict[str, object]
# SQLite before 3.32 takes no more parameters in one query.
_AT_ONCE = 900


def unanswered_items(core: Session, db: Query) -> dict[str, object]:
    """Return what is unanswered and who must act (escalations, urgent, oldest first), and the cycles."""
    found = newest_waits(core)
    nudged = {wait.movers[0]: wait.at for wait in found.waits if wait.kind == "nudge"}
    waits = _merge([wait for wait in found.waits if wait.kind != "nudge"])
    urgent = _urgent(db, [wait.seq for wait in waits])
    waits.sort(
        key=lambda wait: (not wait.is_escalation, wait.seq not in urgent, not wait.is_blocking, wait.seq)
    )
    items = [
        {**_wait_item(db, wait), "nudged": nudged.get("".join(wait.movers[:1]), "")}
        for wait in waits[:UNANSWERED]
    ]
    mail = _mail_items(core, db, {wait.message for wait in waits})
    shown = sorted(
        [*items, *mail],
        key=lambda item: (
            item["kind"] != "escalation",
            item["priority"] not in URGENT,
            not item["stops"],
            item["seq"],
        ),
    )
    total = len(waits) + len(mail)
    return {"unanswered": shown[:UNANSWERED], "unanswered_total": total, "cycles": found.cycles}


def _merge(waits: list[Wait]) -> list[Wait]:
    """Merge the waits of one message, or of one task: what was asked of several agents is one thing."""
    things: dict[tuple[str, str], Wait] = {}
    for wait in waits:
        key = ("message", wait.message) if wait.message else ("task", wait.task)
        first = things.get(key)
        things[key] = replace(first, movers=(*first.movers, *wait.movers)) if first else wait
    return list(things.values())


def _urgent(db: Query, numbers: list[int]) -> set[int]:
    """Return which of some messages are urgent; a task waits since the message that moved it."""
    found: set[int] = set()
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows = db.execute(
            f"select seq from message where priority < ? and seq in ({marks})", (len(URGENT), *some)
        )
        found.update(seq for (seq,) in rows)
    return found


def _wait_item(db: Query, wait: Wait) -> Item:
    """Return a wait as a list shows it: by the message that it began with, if there is one."""
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
        # A task has a title; its giver need not have said more.
        "subject": shown["subject"] or ("" if wait.message else wait.gist),
        "at": wait.at,
        "task": wait.task,
        "moves": not wait.message,
        "kind": wait.kind,
        "waiter": wait.waiter,
        "stops": wait.is_blocking,
        "movers": list(wait.movers),
        "wanted": wait.row.act,
        "must": wait.row.must,
        "offers": list(wait.row.offers),
        "instead": wait.row.instead,
        "why": "",
    }


def _mail_items(core: Session, db: Query, known: set[str]) -> list[Item]:
    """Return mail that asks for an action and is on no other list, then mail that did not arrive."""
    found: list[Item] = []
    usual = {"moves": False, "waiter": "", "stops": False, "nudged": "", "offers": []}
    for seq, _, movers in unanswered.unanswered(db, UNANSWERED):
        row = inbox.at_seq(db, seq)
        if row is None or row.id in known or row.act in open_questions.ASKING:
            continue
        if row.task and row.act in TASK_ACTS and board.task(db, row.task) is not None:
            continue
        wanted = unanswered.WANTED[row.act]
        own = {"kind": "mail", "movers": movers, "wanted": wanted, "must": wanted, "why": ""}
        found.append({**glance(row), **usual, **own})
    for seq, address, why in unanswered.astray(db, UNANSWERED // 4):
        row = inbox.at_seq(db, seq)
        if row is not None and row.id not in known:
            near = core.view.roster().nearest(address, roles=True)
            lost = {"kind": "astray", "movers": [row.sender], "wanted": "resend", "must": "resend"}
            found.append({**glance(row), **usual, **lost, "why": f"{address}: {why}", "nearest": near})
    count, held = unanswered.held(db)
    for seq, agent in held:
        row = inbox.at_seq(db, seq)
        if row is not None:
            others = f", like {numbered(count - 1, 'other message')}" if count > 1 else ""
            why = f"it starts no program of {agent}{others} [loop-limit]"
            own = {"kind": "held", "movers": [], "wanted": "resend", "must": "resend"}
            found.append({**glance(row), **usual, **own, "why": why, "nearest": [agent]})
    return found
