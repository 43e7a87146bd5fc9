"""What agents wait for, for how long, and who must act; and the cycles of agents that wait for each other."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from palaver.bus.operations.operation import operation, reads
from palaver.bus.operations.result import PlainFields
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.log.clock import age, now
from palaver.model.task import Task
from palaver.model.waits import KINDS, LISTED_STATES, Blocks, WaitKind, task_wait
from palaver.views.agents.policy import Policy
from palaver.views.mail.open_questions import OpenQuestion, newest, questions
from palaver.views.supervision.notices import Notice, escalations
from palaver.views.tasks import board

# An overview looks at so many questions and tasks, the newest.
_NEWEST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(PlainFields):
    """One thing that is waited for."""

    kind: str
    waiter: str
    movers: tuple[str, ...]
    at: str
    seconds: int
    #: The event since which it is waited for: order never depends on a clock.
    seq: int
    message: str = ""
    task: str = ""
    gist: str = ""

    @property
    def row(self) -> WaitKind:
        """Return the row of the table of waits."""
        return KINDS[self.kind]

    @property
    def is_blocking(self) -> bool:
        """Return True if the waiter is stopped."""
        return self.row.blocks is not Blocks.NOTHING

    @property
    def is_escalation(self) -> bool:
        """Return True if an agent must decide: escalations are always shown first."""
        return self.kind == "escalation"

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        return {**PlainFields.plain(self), "wants": self.row.noun}


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitList(PlainFields):
    """All waits, escalations first and then the oldest first, and the cycles among them."""

    waits: tuple[Wait, ...]
    cycles: list[list[str]]


@operation(reads)
def list_waits(core: Session) -> WaitList:
    """Return everything that an agent waits for, and the cycles of agents that wait for each other."""
    cards = moves.list_tasks(core, states=LISTED_STATES)
    return _combine(core, [card.task for card in cards], questions(core.view.current()))


def newest_waits(core: Session) -> WaitList:
    """Return the waits of the newest tasks and questions, and end no leases: fast enough for an overview."""
    db = core.view.current()
    return _combine(core, board.newest(db, LISTED_STATES, _NEWEST), newest(db, _NEWEST))


def _combine(core: Session, pending: list[Task], asked: list[OpenQuestion]) -> WaitList:
    policy = Policy(core.view.roster())
    leads = policy.leads()
    until = now()
    found = [_of_message(each.kind, each.asker, each.asked, each, until) for each in asked]
    found += [_of_task(task, sorted(leads | policy.heads(task.holder)), until) for task in pending]
    found += _of_escalations(core, until)
    waits = sorted(found, key=lambda wait: (not wait.is_escalation, wait.seq, wait.movers))
    edges: dict[str, set[str]] = {}
    for wait in waits:
        # If one of several agents can act, the waiter may not be stuck.
        if wait.is_blocking and wait.waiter and len(wait.movers) == 1:
            edges.setdefault(wait.waiter, set()).add(wait.movers[0])
    return WaitList(waits=tuple(waits), cycles=find_cycles(edges))


def _of_message(kind: str, waiter: str, mover: str, sent: OpenQuestion | Notice, until: str) -> Wait:
    return Wait(
        kind=kind,
        waiter=waiter,
        movers=(mover,),
        at=sent.at,
        seconds=int(age(sent.at, until)),
        seq=sent.seq,
        message=sent.id,
        task=sent.task,
        gist=sent.gist,
    )


def _of_task(task: Task, leads: list[str], until: str) -> Wait:
    kind, waiter, movers = task_wait(task, leads)
    return Wait(
        kind=kind.name,
        waiter=waiter,
        movers=tuple(movers),
        at=task.since,
        seconds=int(age(task.since, until)),
        seq=task.seq,
        task=task.id,
        gist=task.reason if task.state == "blocked" else task.title,
    )


def _of_escalations(core: Session, until: str) -> list[Wait]:
    """Return the escalations that nobody has dealt with, each with every agent that can."""
    found: dict[str, Wait] = {}
    for notice in escalations(core.view.current()):
        wait = _of_message("escalation", notice.sender, notice.agent, notice, until)
        known = found.get(notice.id)
        found[notice.id] = replace(known, movers=(*known.movers, notice.agent)) if known else wait
    return list(found.values())


def find_cycles(edges: Mapping[str, Set[str]]) -> list[list[str]]:
    """Return a cycle for each group of agents that wait for each other; its first agent is also its last."""
    found = []
    for group in _cyclic_groups(edges):
        start = min(group)
        came_from: dict[str, str] = {}
        queue = [start]
        while start not in came_from and queue:
            agent = queue.pop(0)
            for mover in sorted(edges.get(agent, ())):
                if mover in group and mover not in came_from:
                    came_from[mover] = agent
                    queue.append(mover)
        cycle = [start]
        while len(cycle) == 1 or cycle[-1] != start:
            cycle.append(came_from[cycle[-1]])
        found.append(cycle[::-1])
    return sorted(found)


def _cyclic_groups(edges: Mapping[str, Set[str]]) -> list[set[str]]:
    """Return the groups of agents in which each one waits, directly or not, for every other one.

    Agents that wait for no stuck agent are not stuck. Removing them until nothing changes leaves the agents
    that are in a cycle or wait for one. A group is then what an agent reaches and what reaches it.
    """
    left = set(edges)
    while free := [waiter for waiter in left if edges[waiter].isdisjoint(left)]:
        left.difference_update(free)
    stuck = {waiter: set(edges[waiter] & left) for waiter in left}
    backward: dict[str, set[str]] = {}
    for waiter, movers in stuck.items():
        for mover in movers:
            backward.setdefault(mover, set()).add(waiter)
    groups: list[set[str]] = []
    done: set[str] = set()
    for agent in sorted(stuck):
        if agent not in done:
            group = _reachable(stuck, agent) & _reachable(backward, agent)
            done |= group | {agent}
            if group:
                groups.append(group)
    return groups


def _reachable(edges: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    queue = [start]
    while queue:
        for agent in edges.get(queue.pop(), set()) - found:
            found.add(agent)
            queue.append(agent)
    return found
