"""Assignments: give an agent something, look, clear it; dispatch work to a free worker; hand a session on.

One assignment each. It survives whatever happens to the agent, because it is in the log, and it is cleared
when its work is handed in or its mail is dealt with.
"""

from palaver.bus.agents import agent_registry
from palaver.bus.mail import send
from palaver.bus.operations import keys
from palaver.bus.session import Session, draft
from palaver.bus.tasks import moves
from palaver.bus.tasks.consequences import settle
from palaver.log.clock import age, now
from palaver.model.errors import AssignmentTaken, BadArguments, NoFreeWorker, NotFound, Refusal, TaskTaken
from palaver.model.limits import LOCK_SECONDS, SLOTS
from palaver.model.message import Message
from palaver.model.names import name
from palaver.model.task import Task
from palaver.views.tasks.assignments import KINDS, Assignment, assignment, assignments


def current(session: Session, agent: str) -> Assignment | None:
    """Return an agent's assignment."""
    return assignment(session.view.current(), name(agent))


def everyone(session: Session) -> list[Assignment]:
    """Return every assignment, by agent."""
    return assignments(session.view.current())


def check(session: Session, agent: str, *, key: str = "") -> Assignment | None:
    """Return an agent's assignment, and record that it asked: the response time is an event."""
    found = current(session, agent)
    data: dict[str, object] = {"agent": agent, "found": found is not None}
    if found is not None:
        data["response_ms"] = int(age(found.at, now()) * 1000)
        data["action"] = "execute_immediately"
        data["ref"] = found.line
    keys.append(session, draft("assignment.checked", agent, data, key=key))
    return found


def assign(
    session: Session, by: str, agent: str, ref: str, *, replace: bool = False, key: str = ""
) -> Assignment:
    """Give an agent something to do: `work_order:ID`, `mail:ID` or `process:ID`."""
    agent = name(agent)
    kind, colon, ref_id = ref.partition(":")
    if not colon or kind not in KINDS or not ref_id:
        raise BadArguments(
            f"cannot assign {ref[:80]!a}",
            "it must say what it is",
            f"use {', '.join(f'{k}:ID' for k in KINDS)}",
        )
    _there(session, kind, ref_id)
    roster = agent_registry.roster(session)
    if agent not in roster.agents:
        close = roster.nearest(agent)
        hint = f"did you mean {' or '.join(close)}?" if close else f"palaver agents add {agent}"
        raise NotFound(f"no agent {agent}", "nobody of that name has spoken or was added", hint)
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
    assert now_held is not None, "somebody's assignment stands after one was set"
    if now_held.line != f"{kind}:{ref_id.lower() if kind == 'work_order' else ref_id}":
        raise _taken(now_held)
    return now_held


def after_repeat(session: Session, agent: str) -> Assignment:
    """Return the assignment that an agent has, when the request that set it is repeated."""
    held = current(session, agent)
    if held is None:
        raise NotFound(f"{agent} has no assignment", "it was cleared since", "assign it with a new key")
    return held


def clear(session: Session, by: str, agent: str, *, key: str = "") -> str:
    """Empty an agent's assignment; return what it was, nothing if there was none."""
    held = current(session, agent)
    if held is None:
        return ""
    data: dict[str, object] = {"agent": held.agent, "previous_ref": held.line}
    keys.append(session, draft("assignment.cleared", by, data, key=key))
    return held.line


def dispatch(
    session: Session,
    by: str,
    task_id: str,
    factory: str,
    *,
    slots: int = SLOTS,
    home: str = "",
    key: str = "",
) -> Assignment:
    """Give a work order to a free worker of a factory; a new slot is made, in a mount, where none is free."""
    task = moves.find_task(session, task_id)
    role = f"{name(factory)}/workers"
    held = assignment(session.view, task.holder)
    if held is not None and held.line == f"work_order:{task.id}" and held.agent.startswith(f"{role}/"):
        # It is there and waits: to dispatch again is for what was lost.
        return held
    for _ in range(slots):
        try:
            worker = _free(session, task, role, slots, home)
            given = assign(session, by, worker, f"work_order:{task.id}", key=key)
            break
        except AssignmentTaken:
            # Somebody else was faster with this worker: look for another one.
            continue
    else:
        raise NoFreeWorker(
            f"cannot dispatch {task.id}", "others took every worker that was free", "try again"
        )
    try:
        _hand_over(session, by, task, given.agent)
    except Refusal:
        clear(session, by, given.agent)
        raise
    return given


def _hand_over(session: Session, by: str, task: Task, worker: str) -> None:
    moved = moves.move(
        session,
        Message(sender=by, to=[worker], act="assign", task=task.id, body=task.title, subject=task.title),
    )
    if not moved.effect:
        raise TaskTaken(f"cannot dispatch {task.id}", moved.tried.why, "choose another")


def handoff(
    session: Session, by: str, body: str, *, to: str = "", subject: str = "", key: str = ""
) -> Message:
    """Leave word for the next session: a message to oneself, or a successor, put into the assignment."""
    heir = name(to) if to else by
    message = Message(
        sender=by,
        to=[heir],
        act="handoff",
        body=body,
        subject=f"🤝 HANDOFF: {(subject or body).partition(chr(10))[0][:80]}",
    )
    sent = send.send(session, message, key=key)
    assigned = key and f"{key}/assignment"
    assign(session, by, heir, f"mail:{sent.message.id}", replace=True, key=assigned)
    return sent.message


def done(session: Session, by: str, task_id: str, result: str, supervisor: str) -> Message:
    """Hand in one's work order: to the supervisor; the assignment is cleared with it."""
    moved = moves.move(session, Message(sender=by, to=[supervisor], act="deliver", task=task_id, body=result))
    settle(session)
    return moved.message


def _there(session: Session, kind: str, ref_id: str) -> None:
    if kind == "work_order":
        moves.find_task(session, ref_id)
    elif kind == "mail":
        send.find(session, ref_id)


def _taken(held: Assignment) -> AssignmentTaken:
    return AssignmentTaken(
        f"cannot assign to {held.agent}", f"it has {held.line} already", f"co assignment clear {held.agent}"
    )


def _free(session: Session, task: Task, role: str, slots: int, home: str) -> str:
    """Return a worker who has nothing to do; the one who lost this very work order comes first."""
    roster = agent_registry.roster(session)
    task_id = task.id
    workers = sorted(agent.id for agent in roster.agents.values() if agent.role == role and not agent.retired)
    held = {each.agent: each.line for each in everyone(session)}
    busy = {
        card.task.holder
        for card in moves.list_tasks(session, states=moves.AT_WORK)
        if card.task.id != task_id
    }
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
