"""The consequences of a move: messages and events by `palaver` itself, each appended once.

The fold notes what is due, with a key made from its cause. Any process may append it; the log takes each key
once, and the fold removes the note. A command that dies in between leaves it to the next one.
"""

import re

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.session import Session, draft
from palaver.bus.tasks import line_notices
from palaver.dialects import conventions
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.limits import DUE
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.plain import sentence
from palaver.model.task import with_names
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.query import Query, has_own_key
from palaver.views.tasks import board
from palaver.views.tasks.board import BACKLOG, BOUNCE, FINDING, FINDING_SEEN, SEEN, Consequence

# The act and the text of each rule; `{why}` is why the move that caused it had no effect.
_SAID = {
    "granted": ("approve", ""),
    "second-claim": ("refuse", "{task} is not yours: {why}"),
    "no-effect": ("inform", "What you said about {task} had no effect: {why}"),
    "no-power": ("inform", "{actor} said '{act}' about {task}, and it has no effect: {why}"),
    "gated": ("inform", "{actor} wants {task} and waits for your approval: approve or refuse it."),
    "supervised": ("inform", "{actor} has taken {task} and begins; step in if that is not right."),
    "pending": ("inform", "{task} is pending: {why}."),
    "unblocked": ("inform", "{task} is ready: all that it waited for is done."),
    "lease-ended": ("inform", "Your claim of {task} has ended: nothing was heard of it for too long."),
    "auto-approve": ("approve", ""),
    "auto-accept": ("accept", ""),
}
# A line of a file with a move that is not allowed. A lost race breaks no rule.
_BROKEN = "no-effect"
# Further notices that say what to write.
_OFFERING = ("gated", "second-claim")
# Notices that quote what the bus has found in a file.
_ABOUT_FILES = (FINDING, FINDING_SEEN, BACKLOG)
# Rules whose message comes from the manager, in an office.
_AS_MANAGER = ("granted", "second-claim", "auto-approve", "auto-accept")
_TAKEN = re.compile(r"\A(\S+) has it\Z")
# A consequence may have consequences of its own; chains are short.
_ROUNDS = 8


def settle(session: Session) -> int:
    """Append all that is due; return how much that was. What fails now is left to the next command."""
    said = 0
    for _ in range(_ROUNDS):
        try:
            db = session.view.current()
            rows = board.due(db, DUE)
            if not rows or session.view.behind:
                break
            since = db.seq
            roster = session.view.roster()
            said_now = [_draft(session, row, roster) for row in rows]
            broken = [_broken(db, row) for row in rows if _breaks(row) and not _is_recorded(db, row)]
            # The broken rule first: the agent that is told of it must find it.
            session.log.append([*broken, *said_now], since=since)
        except Refusal:
            # The move is stored; its consequences can wait.
            break
        session.wakeups.ring(sorted({row.recipient for row in rows}))
        said += len(rows)
    return said


def _speaker(roster: Roster, row: Consequence) -> str:
    """Return the sender: some messages have their form only in the name of the lead."""
    agent = roster.agents.get(row.recipient)
    if row.rule in _AS_MANAGER and agent is not None:
        for home in agent.homes:
            mount = roster.mounts.get(home, {})
            team = conventions(mount)
            if team.claims_are_answered:
                return team.lead(mount)
    return BUS


def _breaks(row: Consequence) -> bool:
    """Return True if the recipient broke a rule; the other side gets another message about it."""
    is_told_otherwise = row.rule in (SEEN, *_ABOUT_FILES) or row.rule in _SAID
    return row.rule == _BROKEN or (row.why != "" and not is_told_otherwise)


def _is_recorded(db: Query, row: Consequence) -> bool:
    """Return True if the broken rule is in the log: a process died before its message was written, too."""
    return has_own_key(db, _event_key(row))


def _event_key(row: Consequence) -> str:
    return f"{row.key}:event"


def _broken(db: Query, row: Consequence) -> Draft:
    """Return the event of a line of a file that broke a rule of work; its message follows."""
    tried = board.attempt(db, row.seq)
    data: dict[str, object] = {"rule": row.rule, "task": row.task, "agent": row.recipient}
    if tried:
        data |= {"act": tried.act, "message_id": tried.message}
    data["why"] = row.why or (tried.why if tried else "")
    return draft("rule.broken", BUS, data, key=_event_key(row), caused_by=row.cause)


def _draft(session: Session, row: Consequence, roster: Roster) -> Draft:
    if row.rule == "clear":
        data: dict[str, object] = {"agent": row.recipient, "previous_ref": row.task}
        return draft("assignment.cleared", BUS, data, key=row.key, caused_by=row.cause)
    if row.rule == "assign":
        kind, _, ref = row.task.partition(":")
        data = {"agent": row.recipient, "ref_type": kind, "ref_id": ref}
        return draft("assignment.set", BUS, data, key=row.key, caused_by=row.cause)
    if row.rule == BOUNCE:
        message = line_notices.bounce(session, row)
    elif row.rule in _ABOUT_FILES:
        message = _file_notice(session, row)
    else:
        message = _message(session, row, roster)
    said = mail_sent(message, key=row.key, caused_by=row.cause)
    # The event that it is about: its chain goes on, whatever that event is.
    said.data["about"] = row.seq
    # Whatever the name of the sender, it is the bus that speaks.
    said.actor = BUS
    return said


def _file_notice(session: Session, row: Consequence) -> Message:
    """Return the notice about a line that was found in a file."""
    run, task = line_notices.run_and_task(session, row)
    meta: dict[str, object] = {"rule": row.rule}
    if row.rule == FINDING:
        meta["broken"] = row.task
    return Message(
        sender=BUS,
        to=[row.recipient],
        body=line_notices.words(session, row),
        task=task,
        run=run,
        meta=meta,
        auth="token",
    )


def _message(session: Session, row: Consequence, roster: Roster) -> Message:
    act, words = _SAID.get(row.rule, ("inform", "{why}"))
    sender, policy = _speaker(roster, row), Policy(roster)
    tried = board.attempt(session.view, row.seq)
    called = policy.called(row.recipient)
    why = with_names(row.why or (tried.why if tried else ""), called)
    has_offer = _breaks(row) or row.rule in _OFFERING
    is_lead = row.rule == "second-claim" and sender != BUS
    if is_lead:
        # The line of the lead names the task itself, and has no room for another line.
        from palaver.bus.tasks.move_notices import advice

        reason = _TAKEN.sub(r"already claimed by \1", why)
        words, why = "{why}", ". ".join(filter(None, (reason, advice(session, row))))
        has_offer = False
    said = words.format(
        task=called(row.task),
        why=why,
        actor=tried.actor if tried else "",
        act=tried.act if tried else "",
    )
    said = policy.with_spellings(row.recipient, said if is_lead else sentence(said))
    return Message(
        sender=sender,
        to=[row.recipient],
        act=act,
        body=said + (line_notices.offer(session, row) if has_offer else ""),
        task=row.task,
        # A notice belongs to the run of what it is about.
        run=line_notices.run_and_task(session, row)[0],
        meta={"rule": row.rule},
        auth="token",
    )
