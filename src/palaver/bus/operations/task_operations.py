"""Operations on tasks: open them, move them, assign them, show them."""

from typing import Annotated

from msgspec import Meta

from palaver.bus.operations import keys
from palaver.bus.operations.fields import (
    About,
    AgentName,
    AllowSecret,
    Approval,
    Body,
    Check,
    Difficulty,
    Fence,
    Files,
    Key,
    Kind,
    Lease,
    Needs,
    NeedsNot,
    Owner,
    Reasoning,
    Recipients,
    Restricted,
    Rows,
    RunId,
    Speaker,
    States,
    Subject,
    TaskAct,
    TaskId,
    TaskLevel,
    TaskPriority,
    Title,
    Words,
)
from palaver.bus.operations.operation import operation, reads, writes
from palaver.bus.session import Session
from palaver.bus.tasks import assignment as assignments
from palaver.bus.tasks import board_view, moves, rounds
from palaver.bus.tasks import prime as primes
from palaver.bus.tasks.moves import MoveResult
from palaver.bus.tasks.prime import Prime
from palaver.bus.tasks.rounds import Round
from palaver.bus.tasks.wait_list import WaitList, list_waits
from palaver.model.event import Event, text
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message
from palaver.model.task import Task
from palaver.views.tasks.assignments import Assignment
from palaver.views.tasks.board import Card, MoveAttempt

Reference = Annotated[
    str, Meta(description="what to do: work_order:ID, mail:ID or process:ID", max_length=2_000)
]
Factory = Annotated[str, Meta(description="factory whose workers may get it", max_length=2_000)]
Ready = Annotated[bool, Meta(description="only tasks that can be claimed now")]
Replace = Annotated[bool, Meta(description="replace the assignment it has")]
Lead = Annotated[bool, Meta(description="as the lead: claims, approvals, deliveries, questions")]
Finished = Annotated[bool, Meta(description="with handoff: the work is finished and is to be checked")]
Parallel = Annotated[bool, Meta(description="with assign: even if the receiver has another task")]


def _opened_before(session: Session, first: Event) -> Card:
    return moves.task_card(session, text(keys.expect(first, "task.opened").data, "task"))


@operation(writes, repeat=_opened_before)
def open_task(
    session: Session,
    title: Title,
    *,
    task: TaskId = "",
    about: About = "",
    needs: Needs = None,
    kind: Kind = "",
    owner: Owner = "",
    restricted: Restricted = "",
    priority: TaskPriority | None = None,
    difficulty: Difficulty | None = None,
    level: TaskLevel | None = None,
    lease: Lease | None = None,
    approval: Approval = None,
    check: Check = None,
    by: Speaker = "",
    key: Key = "",
) -> Card:
    """Open a task. Its id is generated unless one is given."""
    said = {"about": about, "needs": needs, "kind": kind, "owner": owner, "restricted": restricted}
    numbers = {"priority": priority, "difficulty": difficulty, "level": level, "lease": lease}
    flags = {"approval": approval, "check": check}
    given: dict[str, object] = {name: value for name, value in said.items() if value}
    given |= {name: value for name, value in (numbers | flags).items() if value is not None}
    return moves.open_task(session, session.speaker(by), title, task_id=task, fields=given, key=key)


def _changed_before(session: Session, first: Event) -> Card:
    return moves.task_card(session, text(keys.expect(first, "task.changed").data, "task"))


@operation(writes, repeat=_changed_before)
def change_task(
    session: Session,
    task: TaskId,
    *,
    title: Title | None = None,
    about: About | None = None,
    needs: Needs = None,
    needs_not: NeedsNot = None,
    kind: Kind | None = None,
    owner: Owner | None = None,
    restricted: Restricted | None = None,
    priority: TaskPriority | None = None,
    difficulty: Difficulty | None = None,
    level: TaskLevel | None = None,
    lease: Lease | None = None,
    approval: Approval = None,
    check: Check = None,
    by: Speaker = "",
    key: Key = "",
) -> Card:
    """Change what a task says of itself. What is not given stays."""
    texts = {"title": title, "about": about, "kind": kind, "owner": owner, "restricted": restricted}
    numbers = {"priority": priority, "difficulty": difficulty, "level": level, "lease": lease}
    rest = {"needs": needs, "needs_not": needs_not, "approval": approval, "check": check}
    wanted: dict[str, object] = {**texts, **numbers, **rest}
    given = {name: value for name, value in wanted.items() if value is not None}
    return moves.change_task(session, session.speaker(by), task, given, key=key)


@operation(writes)
def move(
    session: Session,
    task: TaskId,
    act: TaskAct,
    body: Body = "",
    *,
    by: Speaker = "",
    to: Recipients = "",
    subject: Subject = "",
    run: RunId = "",
    fence: Fence = 0,
    lease: Lease = 0,
    finished: Finished = False,
    parallel: Parallel = False,
    files: Files = None,
    reasoning: Reasoning = "",
    key: Key = "",
    allow_secret: AllowSecret = False,
) -> MoveResult:
    """Move a task by an act. Without recipients, the agents that it concerns are told."""
    given: dict[str, object] = {"fence": fence, "lease": lease, "finished": finished, "parallel": parallel}
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
        meta={name: value for name, value in given.items() if value},
    )
    return moves.move(session, message, key=key, allow_secret=allow_secret)


@operation(writes)
def claim(session: Session, task: TaskId, *, by: Speaker = "", lease: Lease = 0, key: Key = "") -> MoveResult:
    """Claim a task; `effect` tells whether it is yours, `card.task.holder` whose it is."""
    return move(session, task, "claim", by=by, lease=lease, key=key)


@operation(writes)
def deliver(
    session: Session, task: TaskId, result: Body, *, by: Speaker = "", fence: Fence = 0, key: Key = ""
) -> MoveResult:
    """Deliver a task, with its result."""
    return move(session, task, "deliver", result, by=by, fence=fence, key=key)


@operation(reads)
def task(session: Session, task: TaskId) -> Card:
    """Return a task, with the tasks that it waits for."""
    return moves.task_card(session, task)


@operation(reads)
def tried(session: Session, task: TaskId) -> list[MoveAttempt]:
    """Return every move of a task that was tried, with its outcome."""
    return moves.tried_on(session, task)


@operation(reads)
def tasks(
    session: Session,
    *,
    states: States = (),
    holder: AgentName = "",
    owner: AgentName = "",
    ready: Ready = False,
) -> list[Card]:
    """Return the tasks that match, the most urgent first."""
    return moves.list_tasks(session, states=states, holder=holder, owner=owner, ready=ready)


@operation(reads)
def tasks_with(session: Session, words: Words, *, limit: Rows = ROWS_DEFAULT) -> list[Task]:
    """Return the tasks whose id or title contains all the words."""
    return board_view.with_words(session, words, limit)


@operation(reads)
def board(session: Session) -> dict[str, object]:
    """Return every column of the board with its tasks."""
    return board_view.columns(session)


@operation(reads)
def life(session: Session, task: TaskId, *, agent: Speaker = "") -> dict[str, object]:
    """Return the history of a task, and what an agent can do with it."""
    return board_view.life(session, task, session.speaker(agent))


@operation(reads)
def waiting(session: Session) -> WaitList:
    """Return everything that an agent waits for, and the cycles of agents that wait for each other."""
    return list_waits(session)


@operation(reads)
def assignment(session: Session, *, agent: Speaker = "") -> Assignment | None:
    """Return the assignment of an agent."""
    return assignments.current(session, session.speaker(agent))


def _assigned_before(session: Session, first: Event) -> Assignment:
    agent = text(keys.expect(first, "assignment.set").data, "agent")
    return assignments.after_repeat(session, agent)


@operation(writes, repeat=_assigned_before)
def assign(
    session: Session,
    agent: AgentName,
    ref: Reference,
    *,
    by: Speaker = "",
    replace: Replace = False,
    key: Key = "",
) -> Assignment:
    """Assign a work order, a message or a process to an agent. It has one assignment at a time."""
    return assignments.assign(session, session.speaker(by), agent, ref, replace=replace, key=key)


def _cleared_before(session: Session, first: Event) -> str:
    del session
    return text(keys.expect(first, "assignment.cleared").data, "previous_ref")


@operation(writes, repeat=_cleared_before)
def clear_assignment(session: Session, *, agent: AgentName = "", by: Speaker = "", key: Key = "") -> str:
    """Clear an agent's assignment; return what it was."""
    return assignments.clear(session, session.speaker(by), session.speaker(agent), key=key)


@operation(writes, repeat=_assigned_before)
def dispatch(
    session: Session, task: TaskId, factory: Factory, *, by: Speaker = "", key: Key = ""
) -> Assignment:
    """Assign a work order to a free worker of a factory."""
    return assignments.dispatch(session, session.speaker(by), task, factory, key=key)


@operation(writes)
def handoff(session: Session, body: Body, *, to: AgentName = "", by: Speaker = "", key: Key = "") -> Message:
    """Leave a message for the next session, as its assignment."""
    return assignments.handoff(session, session.speaker(by), body, to=to, key=key)


@operation(writes)
def prime(session: Session, *, agent: Speaker = "", key: Key = "") -> Prime:
    """Return what an agent has to do now, and record that it asked."""
    return primes.prime(session, session.speaker(agent), key=key)


@operation(writes)
def round(session: Session, *, agent: Speaker = "", lead: Lead = False, key: Key = "") -> Round:  # noqa: A001 - the word of the trade
    """Return what is new for a worker or a lead, and what to do next."""
    look = rounds.lead_round if lead else rounds.worker_round
    return look(session, session.speaker(agent), key=key)
