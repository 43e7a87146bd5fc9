"""Assignments: assign work to an agent, clear it; dispatch work to a free worker; hand a session over.

An agent has one assignment at a time. It survives a crash of the agent, because it is in the log. It is
cleared when its work is delivered or its mail is archived.
"""

from difflib import get_close_matches
from typing import Annotated

from msgspec import Meta

from palaver.bus.agents import agent_registry
from palaver.bus.mail import send
from palaver.bus.operations import keys
from palaver.bus.operations.fields import AgentName, Body, Key, Speaker, Subject, TaskId
from palaver.bus.operations.operation import operation, reads, writes
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.bus.tasks import moves
from palaver.bus.tasks.consequences import settle
from palaver.log.clock import age, now
from palaver.model.errors import (
    AssignmentTaken,
    BadArguments,
    IllegalMove,
    NoFreeWorker,
    NotFound,
    Refusal,
    TaskTaken,
)
from palaver.model.event import Event, text
from palaver.model.limits import LOCK_SECONDS, SLOTS
from palaver.model.masking.masks import clip
from palaver.model.message import Message
from palaver.model.names import name
from palaver.model.task import AT_WORK, Task
from palaver.views.agents.roster import Roster
from palaver.views.tasks.assignments import KINDS, Assignment, assignment, assignments, pending_orders
from palaver.views.tasks.board import Card

Reference = Annotated[
    str, Meta(description="what to do: work_order:ID, mail:ID or process:ID", max_length=2_000)
]
Factory = Annotated[str, Meta(description="factory whose workers may get it", max_length=2_000)]
Replace = Annotated[bool, Meta(description="replace the assignment it has")]


@operation(reads)
def current(session: Session, agent: Speaker = "") -> Assignment | None:
    """Return the assignment of an agent."""
    return assignment(session.view.current(), session.speaker(agent))


def everyone(session: Session) -> list[Assignment]:
    """Return every assignment, by agent."""
    return assignments(session.view.current())


def pending(session: Session, agent: str) -> list[str]:
    """Return the work orders that an agent gets after its assignment, in this order."""
    return pending_orders(session.view.current(), agent)


def check(session: Session, agent: str, *, key: str = "") -> Assignment | None:
    """Return an agent's assignment, and record that it asked: the response time is an event."""
    found = current(session, agent)
    data: dict[str, object] = {"agent": agent, "found": found is not None, "response_ms": 0}
    if found is not None:
        data["response_ms"] = int(age(found.at, now()) * 1000)
        data["action"] = "execute_immediately"
        data["ref"] = found.line
    keys.append(session, draft("assignment.checked", agent, data, key=key))
    return found


def _assigned_before(session: Session, first: Event) -> Assignment:
    agent = keys.field_of(first, "assignment.set", "agent")
    held = current(session, agent)
    if held is None:
        raise NotFound(f"{agent} has no assignment", "it was cleared since", "assign it with a new key")
    if text(first.data, "ref_type") == "work_order":
        # The process that assigned it may have been killed before this.
        _give(session, first.actor, agent, text(first.data, "ref_id"), key=f"{first.key}/task")
    return held


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
    """Assign a work order, a message or a process to an agent. It has one assignment at a time.

    A work order is given to the agent, if another has it or nobody has.
    """
    by, agent = session.speaker(by), name(agent)
    require(session, "assignment", by=by)
    kind, colon, ref_id = ref.partition(":")
    if not colon or kind not in KINDS or not ref_id:
        raise BadArguments(
            f"cannot assign {clip(ref, 80)!a}",
            "it must say what it is",
            f"use {', '.join(f'{k}:ID' for k in KINDS)}",
        )
    _there(session, kind, ref_id)
    agent_registry.find_agent(session, agent)
    held = current(session, agent)
    if held is not None and not replace and held.line != ref:
        raise _taken(held)
    data: dict[str, object] = {"agent": agent, "ref_type": kind, "ref_id": ref_id}
    if replace:
        data["replace"] = True
    keys.append(session, draft("assignment.set", by, data, key=key))
    session.wakeups.ring([agent])
    session.view.current(LOCK_SECONDS)
    session.view.insist()
    now_held = current(session, agent)
    assert now_held is not None, "an agent has an assignment after one was set"
    if now_held.line != f"{kind}:{ref_id.lower() if kind == 'work_order' else ref_id}":
        raise _taken(now_held)
    if kind == "work_order":
        _give(session, by, agent, ref_id, key=key and f"{key}/task")
    return now_held


@operation(writes, repeat=lambda _, first: keys.field_of(first, "assignment.cleared", "previous_ref"))
def clear(session: Session, *, agent: AgentName = "", by: Speaker = "", key: Key = "") -> str:
    """Clear an agent's assignment; return what it was."""
    by = session.speaker(by)
    if agent and agent != by:
        agent_registry.find_agent(session, agent)
    held = current(session, agent)
    require(session, "assignment", by=by)
    if held is None:
        return ""
    data: dict[str, object] = {"agent": held.agent, "previous_ref": held.line}
    keys.append(session, draft("assignment.cleared", by, data, key=key))
    return held.line


@operation(writes, repeat=_assigned_before)
def dispatch(
    session: Session, task: TaskId, factory: Factory, *, by: Speaker = "", key: Key = ""
) -> Assignment:
    """Assign a work order to a free worker of a factory."""
    return dispatch_to(session, session.speaker(by), task, factory, key=key)


def dispatch_to(
    session: Session,
    by: str,
    task_id: str,
    factory: str,
    *,
    slots: int = SLOTS,
    home: str = "",
    key: str = "",
) -> Assignment:
    """Assign a work order to a free worker of a factory; add a slot, living in a mount, if none is free."""
    card = moves.task_card(session, task_id)
    refuse_waiting(card)
    task = card.task
    role = f"{_known_factory(agent_registry.roster(session), factory)}/workers"
    held = assignment(session.view, task.holder)
    if held is not None and held.line == f"work_order:{task.id}" and held.agent.startswith(f"{role}/"):
        # It waits there already; dispatching again is for work that was lost.
        return held
    for _ in range(slots):
        try:
            worker = _free(session, task, role, slots, home)
            return assign(session, worker, f"work_order:{task.id}", by=by, key=key)
        except AssignmentTaken:
            # Another dispatch took this worker: look for another one.
            continue
    raise NoFreeWorker(f"cannot dispatch {task.id}", "others took every worker that was free", "try again")


def _known_factory(roster: Roster, factory: str) -> str:
    """Return the name of a factory, or refuse one in which no agent has its address."""
    wanted = name(factory)
    known = sorted({agent.id.partition("/")[0] for agent in roster.live() if "/" in agent.id})
    if wanted not in known:
        close = get_close_matches(wanted, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"add it: co factory add {wanted}"
        raise NotFound(f"no factory {wanted}", "no agent has its address there", hint)
    return wanted


def _give(session: Session, by: str, agent: str, task_id: str, key: str) -> None:
    """Give an agent the task of its assignment; if that is refused, clear the assignment."""
    task = moves.find_task(session, task_id)
    if task.holder == agent:
        return
    act, to = ("claim", "") if by == agent else ("assign", agent)
    try:
        moved = moves.move(session, task.id, act, task.title, by=by, to=to, key=key)
        if not moved.effect:
            raise TaskTaken(f"cannot assign {task.id}", moved.tried.why, "choose another")
    except Refusal:
        clear(session, agent=agent, by=by)
        raise


@operation(writes)
def handoff(
    session: Session,
    body: Body,
    *,
    to: AgentName = "",
    subject: Subject = "",
    by: Speaker = "",
    key: Key = "",
) -> Message:
    """Leave a message for the next session, as its assignment."""
    by = session.speaker(by)
    heir = name(to) if to else by
    require(session, "assignment", by=by)
    message = Message(sender=by, to=[heir], act="handoff", body=body, subject=subject)
    sent = send.send(session, message, key=key)
    assigned = key and f"{key}/assignment"
    assign(session, heir, f"mail:{sent.message.id}", by=by, replace=True, key=assigned)
    return sent.message


def done(session: Session, by: str, task_id: str, result: str, supervisor: str) -> Message:
    """Deliver a work order to the supervisor; that clears the assignment."""
    moved = moves.move(session, task_id, "deliver", result, by=by, to=supervisor)
    settle(session)
    return moved.message


def _there(session: Session, kind: str, ref_id: str) -> None:
    if kind == "work_order":
        refuse_waiting(moves.task_card(session, ref_id))
    elif kind == "mail":
        send.find(session, ref_id)


def refuse_waiting(card: Card) -> None:
    """Refuse a work order that waits for others."""
    if card.waits_for:
        waits = ", ".join(card.waits_for)
        raise IllegalMove(f"cannot assign {card.task.id}", f"it waits for {waits}", f"finish {waits} first")


def _taken(held: Assignment) -> AssignmentTaken:
    return AssignmentTaken(
        f"cannot assign to {held.agent}", f"it has {held.line} already", f"co assignment clear {held.agent}"
    )


def _free(session: Session, task: Task, role: str, slots: int, home: str) -> str:
    """Return a worker without work; the one that held this work order before comes first."""
    roster = agent_registry.roster(session)
    task_id = task.id
    workers = sorted(agent.id for agent in roster.agents.values() if agent.role == role and not agent.retired)
    held = {each.agent: each.line for each in everyone(session)}
    busy = {card.task.holder for card in moves.list_tasks(session, states=AT_WORK) if card.task.id != task_id}
    for worker in sorted(workers, key=lambda worker: worker != task.holder):
        if held.get(worker, "") in ("", f"work_order:{task_id}") and worker not in busy:
            return worker
    for slot in range(slots):
        fresh = f"{role}/slot{slot}"
        if fresh not in roster.agents:
            return agent_registry.register(session, fresh, mount=home).id
    raise NoFreeWorker(
        f"cannot dispatch {task_id}", f"all {len(workers)} workers of {role} are at work", "wait for one"
    )
