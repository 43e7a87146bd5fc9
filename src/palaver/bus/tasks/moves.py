"""Tasks: list them, and move them. Every move is a message, checked before it is written and after.

A move that is already impossible is refused, and nothing is written. A move that loses a race is in the log
without effect, and the caller is told which agent was first (docs/adr/0005).
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palaver.bus.config.config_events import apply
from palaver.bus.mail import send
from palaver.bus.mail.message_check import check
from palaver.bus.operations import fields, keys
from palaver.bus.operations.operation import operation, reads, writes
from palaver.bus.power_check import as_event
from palaver.bus.session import Session
from palaver.bus.tasks import leases
from palaver.bus.tasks.consequences import settle
from palaver.bus.tasks.etiquette import heed
from palaver.model.errors import (
    BadArguments,
    EmptyBody,
    IllegalMove,
    NotFound,
    NotPermitted,
    Retired,
    TaskTaken,
)
from palaver.model.event import text
from palaver.model.limits import LOCK_SECONDS, TASK_CHARS
from palaver.model.masking.masks import clip
from palaver.model.message import Message
from palaver.model.names import address, check_task
from palaver.model.task import (
    ENDED,
    GIVING,
    STATES,
    TASK_ACTS,
    Bar,
    Task,
    acts_in,
    canonical_id,
    phrase,
    says_nothing,
    says_what_is_so,
)
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card, MoveAttempt
from palaver.views.tasks.move_check import Judge

# What the words of an act must say, and the way out if they do not.
_MISSING = {
    "deliver": ("what the result is", "describe it with -m TEXT"),
    "block": ("why", "give the reason with -m TEXT"),
}

Ready = Annotated[bool, Meta(description="only tasks that can be claimed now")]
Finished = Annotated[bool, Meta(description="with handoff: the work is finished and is to be checked")]
Parallel = Annotated[bool, Meta(description="with assign: even if the receiver has another task")]


@dataclass(frozen=True, slots=True)
class MoveResult:
    """The outcome of a move."""

    card: Card
    tried: MoveAttempt
    message: Message

    @property
    def effect(self) -> bool:
        """Return True if it had an effect; if not, another agent was first."""
        return not self.tried.why

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "effect": self.effect,
            "why": self.tried.why,
            "act": self.tried.act,
            "message_id": self.message.id,
            "seq": self.message.seq,
            "task": self.card.plain(),
        }


def task_name(text: str) -> str:
    """Return the canonical form of a task's id, or refuse it."""
    if not 0 < len(text) <= TASK_CHARS or not text.isprintable() or " " in text or text.startswith("-"):
        raise BadArguments(
            f"cannot use the task id {clip(text, 80)!a}",
            f"an id is one word of at most {TASK_CHARS} characters",
            "use letters, digits, '.', '-' and '_'",
        )
    check_task(text)
    return canonical_id(text)


@operation(writes)
def move(
    session: Session,
    task: fields.TaskId,
    act: fields.TaskAct,
    body: fields.Body = "",
    *,
    by: fields.Speaker = "",
    to: fields.NoRecipients = "",
    subject: fields.Subject = "",
    run: fields.RunId = "",
    fence: fields.Fence = 0,
    lease: fields.Lease = 0,
    finished: Finished = False,
    parallel: Parallel = False,
    files: fields.Files = None,
    reasoning: fields.Reasoning = "",
    key: fields.Key = "",
    allow_secret: fields.AllowSecret = False,
) -> MoveResult:
    """Move a task by an act. Without recipients, the agents that it concerns are told."""
    meta = {"fence": fence, "lease": lease, "finished": finished, "parallel": parallel}
    message = Message(
        sender=session.speaker(by),
        to=[to] if isinstance(to, str) and to else list(to),
        body=body,
        subject=subject,
        act=act,
        task=task,
        run=run,
        files=files,
        reasoning=reasoning,
        meta={name: value for name, value in meta.items() if value},
    )
    return post_move(session, message, key=key, allow_secret=allow_secret)


@operation(writes)
def claim(
    session: Session,
    task: fields.TaskId,
    *,
    by: fields.Speaker = "",
    lease: fields.Lease = 0,
    key: fields.Key = "",
) -> MoveResult:
    """Claim a task; `effect` tells whether it is yours, `card.task.holder` whose it is."""
    return move(session, task, "claim", by=by, lease=lease, key=key)


@operation(writes)
def deliver(
    session: Session,
    task: fields.TaskId,
    result: fields.Body,
    *,
    by: fields.Speaker = "",
    fence: fields.Fence = 0,
    key: fields.Key = "",
) -> MoveResult:
    """Deliver a task, with its result."""
    return move(session, task, "deliver", result, by=by, fence=fence, key=key)


def post_move(session: Session, message: Message, *, key: str = "", allow_secret: bool = False) -> MoveResult:
    """Move a task by a message with an act and a task; refuse what is already impossible."""
    if message.act not in TASK_ACTS:
        acts = ", ".join(sorted(TASK_ACTS))
        raise BadArguments(
            f"'{clip(message.act, 40)}' moves no task", "it is no act on a task", f"use one of {acts}"
        )
    keys.check_key(key)
    if message.auth == "claimed":
        message = message.replace(auth=session.proof(message.sender))
    roster = current_roster(session)
    db = session.view
    found = _found(session, db, message.task)
    message = message.replace(task=found.id)
    refuse_retired(roster, message.sender)
    judge = Judge(db, roster)
    if found.holder not in ("", message.sender) and leases.sweep(session):
        found = find_task(session, found.id)
    concerned = _concerned(found, message.act, message.sender, judge.policy.leads())
    if not message.to or message.act in ("accept", "rework"):
        # The agents that made it, passed it on or own it are told that it is done, or to be done again.
        message = message.replace(to=list(dict.fromkeys([*message.to, *concerned])))
    described = judge.policy.move_fields([message.sender, *message.to], message.act, found)
    message = _with_words(message.replace(meta={**described, **message.meta}), found.title)
    message = _check(message, roster, allow_secret=allow_secret)
    heed(session, message, roster)
    if not (key and keys.find(session, message.sender, key)):
        # A repeated key was checked the first time.
        _judged(session, judge, found, message)
    # What brought the task into its state.
    cause = session.log.event(found.seq)
    run = message.run or (text(cause.data, "run") if cause else "")
    caused_by = cause.event_id if cause else ""
    message, _ = send.post(session, message.replace(run=run), key=key, caused_by=caused_by)
    tried = outcome(session, message.seq)
    if board.due(db, 1):
        settle(session)
    return MoveResult(board.card(db, _found(session, db, found.id)), tried, message)


def is_so(session: Session, task_id: str, act: str) -> bool:
    """Return True if a task is where an act leads already: a message that says so only passes it on."""
    return says_what_is_so(act, find_task(session, task_id).state)


def find_task(session: Session, task_id: str) -> Task:
    """Return a task, or refuse with ids that look like it."""
    require_current(session)
    return _found(session, session.view, task_id)


def _found(session: Session, db: Query, task_id: str) -> Task:
    wanted = task_name(task_id)
    found = board.task(db, wanted)
    if found is None and Policy(session.view.roster()).pads_numbers:
        found = board.task(db, board.padded_id(db, wanted))
    if found is None:
        session.view.insist()
        close = board.alike(db, wanted)
        hint = f"did you mean {' or '.join(close)}?" if close else "palaver task list shows them"
        raise NotFound(f"no task {wanted}", "nobody has opened it", hint)
    return found


@operation(reads)
def task_card(session: Session, task: fields.TaskId) -> Card:
    """Return a task, with the tasks that it waits for."""
    return board.card(session.view, find_task(session, task))


@operation(reads)
def tried_on(session: Session, task: fields.TaskId) -> list[MoveAttempt]:
    """Return every move of a task that was tried, with its outcome."""
    return board.tried(session.view.current(), find_task(session, task).id)


@operation(reads)
def list_tasks(
    session: Session,
    *,
    states: fields.States = (),
    holder: fields.AgentName = "",
    owner: fields.AgentName = "",
    ready: Ready = False,
) -> list[Card]:
    """Return the tasks that match, the most urgent first."""
    for state in states:
        if state not in STATES:
            raise BadArguments(
                f"there is no state {clip(state, 40)!a}", "tasks are never in it", f"use {', '.join(STATES)}"
            )
    holder, owner = (address(given).lstrip("@") if given else "" for given in (holder, owner))
    require_current(session)
    if leases.sweep(session):
        settle(session)
        session.view.current()
    return board.cards(session.view, states=states, holder=holder, owner=owner, ready=ready)


# --- what is judged before anything is written ---


def require_current(session: Session) -> None:
    """Apply the current config; refuse if the view cannot be brought up to date."""
    apply(session, patient=True)
    session.view.insist()


def current_roster(session: Session) -> Roster:
    """Return the roster of the current config; refuse if the view cannot be brought up to date."""
    require_current(session)
    return session.view.roster()


def refuse_retired(roster: Roster, agent: str) -> None:
    """Refuse an agent that is retired: it cannot speak."""
    known = roster.agents.get(agent)
    if known is not None and known.retired:
        raise Retired(f"{agent} cannot speak", "it is retired", f"palaver agents add {agent}")


def refuse_nobody(roster: Roster, written: str) -> None:
    """Refuse a name that means nobody."""
    if roster.meaning(written).kind == "none":
        close = roster.nearest(written, roles=True)
        way_out = f"did you mean {' or '.join(close)}?" if close else f"palaver agents add {written}"
        raise NotFound(f"no agent {written}", "nobody has that name", way_out)


def _concerned(task: Task, act: str, sender: str, leads: frozenset[str]) -> list[str]:
    """Return the agents that are told of a move without recipients: those on the other side of the task."""
    above = [task.owner] if task.owner else sorted(leads)
    below = [task.holder]
    both = [*above, *below, task.giver, *task.checker.split()]
    whom = {
        "approve": below,
        "refuse": above if sender == task.holder and task.state != "claimed" else below,
        "accept": both,
        "rework": both,
        "cancel": below,
        "release": both,
        # An agent that another one unblocks must be told.
        "resume": above if sender == task.holder else both,
    }
    return list(dict.fromkeys(agent for agent in whom.get(act, above) if agent and agent != sender))


def _with_words(message: Message, title: str) -> Message:
    """Return a move with the words that it needs; refuse one that only its sender can explain."""
    if message.act in _MISSING and says_nothing(message.act, message.body):
        given = repr(message.body.strip()) if message.body.strip() else "the message"
        missing, way_out = _MISSING[message.act]
        raise EmptyBody(f"cannot {message.act} {message.task}", f"{given} does not say {missing}", way_out)
    if message.act in GIVING and not message.body.strip():
        # The receiver sees what it is about.
        return message.replace(body=message.subject or title or f"{message.task} is yours.")
    return message


def _check(message: Message, roster: Roster, *, allow_secret: bool) -> Message:
    """Return the checked message; one that concerns nobody else has no recipients, and that is right here."""
    checked = check(message.replace(to=message.to or [message.sender]), allow_secret=allow_secret)
    message = checked.replace(to=checked.to if message.to else [])
    for written in message.to:
        meaning = roster.resolve(written)
        if meaning.kind == "none":
            close = roster.nearest(written)
            hint = f"did you mean {' or '.join(close)}?" if close else "palaver agents lists who there is"
            raise NotFound(f"cannot {phrase(message.act, message.task)}", f"{written}: {meaning.why}", hint)
    return message


def _judged(session: Session, judge: Judge, task: Task, message: Message) -> None:
    """Refuse a move that would have no effect as things stand."""
    verdict = judge.check(task, as_event(session, message))
    if not verdict.why:
        return
    what = f"cannot {phrase(message.act, task.id)}"
    if message.act in ("claim", "ack") and task.holder and task.holder != message.sender:
        ended = task.state in ENDED
        raise TaskTaken(
            what, verdict.why, "palaver task list --ready shows others" if ended else "choose another"
        )
    if verdict.bar is Bar.PERMISSION:
        raise NotPermitted(what, verdict.why, f"palaver task show {task.id}")
    if verdict.bar is Bar.STATE:
        raise IllegalMove(what, verdict.why, f"possible acts: {', '.join(acts_in(task.state))}")
    raise IllegalMove(what, verdict.why, "palaver task list --ready shows what can be claimed")


def outcome(session: Session, seq: int) -> MoveAttempt:
    """Return the outcome of the move with this number in the log, as the view has it."""
    db = session.view.current(LOCK_SECONDS)
    session.view.insist()
    tried = board.attempt(db, seq)
    assert tried is not None, "what was appended about a task is in the view when that is current"
    return tried
