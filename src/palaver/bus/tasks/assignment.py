"""Assignments: give an agent something, look, clear it; dispatch work to a free worker; hand a session on.

One assignment each. It survives whatever happens to the agent, because it is in the log, and it is cleared
when its work is handed in or its mail is dealt with.
"""

from palaver.bus.agents import registry
from palaver.bus.mail import send
from palaver.bus.session import Session, draft
from palaver.bus.tasks import moves
from palaver.bus.tasks.consequences import settle
from palaver.log.stamp import age, now
from palaver.model.errors import AssignmentTaken, BadArguments, NoFreeWorker, NotFound, Refusal, TaskTaken
from palaver.model.limits import LOCK_SECONDS, SLOTS
from palaver.model.message import Message
from palaver.model.names import name
from palaver.model.task import Task
from palaver.views.tasks.assignments import KINDS, Assignment, assignment, assignments


def current(core: Session, agent: str) -> Assignment | None:
    """Return an agent's assignment."""
    return assignment(core.view.current(), name(agent))


def everyone(core: Session) -> list[Assignment]:
    """Return every assignment, by agent."""
    return assignments(core.view.current())


def check(core: Session, agent: str) -> Assignment | None:
    """Return an agent's assignment, and record that it asked: the response time is an event."""
    found = current(core, agent)
    data: dict[str, object] = {"agent": agent, "found": found is not None}
    if found is not None:
        data["response_ms"] = int(age(found.at, now()) * 1000)
        data["action"] = "execute_immediately"
        data["ref"] = found.line
    core.log.append([draft("assignment.checked", agent, data)])
    return found


def assign(core: Session, by: str, agent: str, ref: str, *, replace: bool = False) -> Assignment:
    """Give an agent something to do: `work_order:ID`, `mail:ID` or `process:ID`."""
    agent = name(agent)
    kind, colon, ref_id = ref.partition(":")
    if not colon or kind not in KINDS or not ref_id:
        raise BadArguments(
            f"cannot assign {ref[:80]!a}",
            "it must say what it is",
            f"use {', '.join(f'{k}:ID' for k in KINDS)}",
        )
    _there(core, kind, ref_id)
    roster = registry.roster(core)
    if agent not in roster.agents:
        close = roster.nearest(agent)
        hint = f"did you mean {' or '.join(close)}?" if close else f"palaver agents add {agent}"
        raise NotFound(f"no agent {agent}", "nobody of that name has spoken or was added", hint)
    held = current(core, agent)
    if held is not None and not replace and held.line != ref:
        raise _taken(held)
    data: dict[str, object] = {"agent": agent, "ref_type": kind, "ref_id": ref_id}
    if replace:
        data["replace"] = True
    core.log.append([draft("assignment.set", by, data)])
    core.wakeups.ring([agent])
    core.view.current(LOCK_SECONDS)
    core.view.insist()
    now_held = current(core, agent)
    assert now_held is not None, "somebody's assignment stands after one was set"
    if now_held.line != f"{kind}:{ref_id.lower() if kind == 'work_order' else ref_id}":
        raise _taken(now_held)
    return now_held


def clear(core: Session, by: str, agent: str) -> str:
    """Empty an agent's assignment; return what it was, nothing if there was none."""
    held = current(core, agent)
    if held is None:
        return ""
    core.log.append([draft("assignment.cleared", by, {"agent": held.agent, "previous_ref": held.line})])
    return held.line


def dispatch(
    core: Session, by: str, task_id: str, factory: str, *, slots: int = SLOTS, home: str = ""
) -> Assignment:
    """Give a work order to a free worker of a factory; a new slot is made, in a mount, where none is free."""
    task = moves.find_task(core, task_id)
    role = f"{name(factory)}/workers"
    held = assignment(core.view.asked, task.holder)
    if held is not None and held.line == f"work_order:{task.id}" and held.agent.startswith(f"{role}/"):
        # It is there and waits: to dispatch again is for what was lost.
        return held
    for _ in range(slots):
        try:
            given = assign(core, by, _free(core, task, role, slots, home), f"work_order:{task.id}")
            break
        except AssignmentTaken:
            # Somebody else was faster with this worker: look for another one.
            continue
    else:
        raise NoFreeWorker(
            f"cannot dispatch {task.id}", "others took every worker that was free", "try again"
        )
    try:
        _hand_over(core, by, task, given.agent)
    except Refusal:
        clear(core, by, given.agent)
        raise
    return given


def _hand_over(core: Session, by: str, task: Task, worker: str) -> None:
    moved = moves.move(
        core, Message(sender=by, to=[worker], act="assign", task=task.id, body=task.title, subject=task.title)
    )
    if not moved.effect:
        raise TaskTaken(f"cannot dispatch {task.id}", moved.tried.why, "choose another")


def handoff(core: Session, by: str, body: str, *, to: str = "", subject: str = "") -> Message:
    """Leave word for the next session: a message to oneself, or a successor, put into the assignment."""
    heir = name(to) if to else by
    message = Message(
        sender=by,
        to=[heir],
        act="handoff",
        body=body,
        subject=f"🤝 HANDOFF: {(subject or body).partition(chr(10))[0][:80]}",
    )
    sent = send.send(core, message)
    assign(core, by, heir, f"mail:{sent.message.id}", replace=True)
    return sent.message


def done(core: Session, by: str, task_id: str, result: str, supervisor: str) -> Message:
    """Hand in one's work order: to the supervisor; the assignment is cleared with it."""
    moved = moves.move(core, Message(sender=by, to=[supervisor], act="deliver", task=task_id, body=result))
    settle(core)
    return moved.message


def _there(core: Session, kind: str, ref_id: str) -> None:
    if kind == "work_order":
        moves.find_task(core, ref_id)
    elif kind == "mail":
        send.find(core, ref_id)


def _taken(held: Assignment) -> AssignmentTaken:
    return AssignmentTaken(
        f"cannot assign to {held.agent}", f"it has {held.line} already", f"co assignment clear {held.agent}"
    )


def _free(core: Session, task: Task, role: str, slots: int, home: str) -> str:
    """Return a worker who has nothing to do; the one who lost this very work order comes first."""
    roster = registry.roster(core)
    task_id = task.id
    workers = sorted(agent.id for agent in roster.agents.values() if agent.role == role and not agent.retired)
    held = {each.agent: each.line for each in everyone(core)}
    busy = {
        card.task.holder for card in moves.list_tasks(core, states=moves.AT_WORK) if card.task.id != task_id
    }
    for worker in sorted(workers, key=lambda worker: worker != task.holder):
        if held.get(worker, "") in ("", f"work_order:{task_id}") and worker not in busy:
            return worker
    for slot in range(slots):
        fresh = f"{role}/slot{slot}"
        if fresh not in roster.agents:
            return registry.add_agent(core, fresh, home=home).id
    raise NoFreeWorker(
        f"cannot dispatch {task_id}", f"all {len(workers)} workers of {role} are at work", "wait for one"
    )
