"""What somebody waits for: how long, and who must move. And whether some wait for each other in a circle."""

from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.log.stamp import age, now
from palaver.model.task import Task
from palaver.views.agents.policy import Policy
from palaver.views.mail.questions import Question, newest, questions
from palaver.views.supervision.vigil import escalations
from palaver.views.tasks import board

# What is waited for, in words. An escalation stands above all; the next three stop whoever waits,
# and so can close a circle.
KINDS = {
    "escalation": "a decision",
    "ask": "an answer",
    "approval": "an approval",
    "block": "a way on",
    "ping": "a sign of life",
    "nudge": "any activity",
    "mention": "an acknowledgement",
    "shutdown": "the confirmation to end",
    "start": "that the task is taken",
    "handoff": "that the handoff is taken",
    "check": "that the delivery is checked",
}
STOPPING = ("ask", "approval", "block")
# States of a task in which somebody must move.
PENDING = ("claimed", "assigned", "handed", "blocked", "delivered", "checking")
# A glance looks at so many questions and tasks, the newest.
_GLANCE = 500


class Wait:
    """One thing that is waited for."""

    __slots__ = ("at", "gist", "kind", "message", "movers", "seconds", "seq", "task", "waiter")

    def __init__(self, kind: str, waiter: str, movers: list[str], *, at: str, until: str) -> None:
        """Take what is waited for, who waits, who must move, and since when."""
        self.kind = kind
        self.waiter = waiter
        self.movers = movers
        self.at = at
        self.seconds = int(age(at, until))
        # The number of the event since which it is waited for: order never depends on a clock.
        self.seq = 0
        self.message = ""
        self.task = ""
        self.gist = ""

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {name: getattr(self, name) for name in sorted(self.__slots__)}


class Waits:
    """All that is waited for, escalations first and the oldest first, and the circles in it."""

    __slots__ = ("cycles", "waits")

    def __init__(self, waits: list[Wait]) -> None:
        """Take the waits; the circles are found here."""
        self.waits = waits
        edges: dict[str, set[str]] = {}
        for wait in waits:
            # Where one of several can move, nobody is stuck for sure.
            if wait.kind in STOPPING and wait.waiter and len(wait.movers) == 1:
                edges.setdefault(wait.waiter, set()).add(wait.movers[0])
        self.cycles = circles(edges)

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"waits": [wait.plain() for wait in self.waits], "cycles": self.cycles}


def waiting(core: Session) -> Waits:
    """Return all that somebody waits for."""
    cards = moves.list_tasks(core, states=PENDING)
    return _together(core, [card.task for card in cards], questions(core.view.current()))


def glance(core: Session) -> Waits:
    """Return the same of the newest tasks and questions, and end no lease: what a picture can afford."""
    db = core.view.current()
    return _together(core, board.newest(db, PENDING, _GLANCE), newest(db, _GLANCE))


def _together(core: Session, pending: list[Task], asked: list[Question]) -> Waits:
    policy = Policy(core.view.roster())
    leads = policy.leads()
    until = now()
    found: list[Wait] = []
    for question in asked:
        wait = Wait(question.kind, question.asker, [question.asked], at=question.at, until=until)
        wait.message, wait.task, wait.gist = question.id, question.task, question.gist
        wait.seq = question.seq
        found.append(wait)
    found += [_of_task(task, sorted(leads | policy.heads(task.holder)), until) for task in pending]
    found += _escalated(core, until)
    return Waits(sorted(found, key=lambda wait: (wait.kind != "escalation", wait.seq, wait.movers)))


def _escalated(core: Session, until: str) -> list[Wait]:
    """Return the escalations that nobody has dealt with, each with all who may."""
    found: dict[str, Wait] = {}
    for word in escalations(core.view.current()):
        if word.id in found:
            found[word.id].movers.append(word.agent)
            continue
        wait = found[word.id] = Wait("escalation", word.sender, [word.agent], at=word.at, until=until)
        wait.seq, wait.message, wait.task, wait.gist = word.seq, word.id, word.task, word.gist
    return list(found.values())


def _of_task(task: Task, leads: list[str], until: str) -> Wait:
    """Return what the state of a task waits for."""
    above = [task.owner] if task.owner else leads
    table: dict[str, tuple[str, str, list[str]]] = {
        "claimed": ("approval", task.holder, above),
        "assigned": ("start", task.owner or task.giver, [task.holder]),
        "handed": ("handoff", task.giver, [task.holder]),
        "blocked": ("block", task.holder, above),
        "delivered": ("check", task.holder, task.checker.split() or above),
        "checking": ("check", task.holder, task.checker.split() or above),
    }
    kind, waiter, movers = table[task.state]
    wait = Wait(kind, waiter, movers, at=task.since, until=until)
    wait.seq = task.seq
    wait.task, wait.gist = task.id, task.reason if task.state == "blocked" else task.title
    return wait


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Return one circle for each knot of agents that wait for each other, its first name again at the end."""
    found = []
    for knot in _knots(edges):
        start = min(knot)
        came: dict[str, str] = {}
        waiting = [start]
        while start not in came and waiting:
            at = waiting.pop(0)
            for to in sorted(edges.get(at, ())):
                if to in knot and to not in came:
                    came[to] = at
                    waiting.append(to)
        way = [start]
        while len(way) == 1 or way[-1] != start:
            way.append(came[way[-1]])
        found.append(way[::-1])
    return sorted(found)


def _knots(edges: dict[str, set[str]]) -> list[set[str]]:
    """Return the groups in which everyone waits, by some way, for everyone.

    Whoever waits for nobody who is stuck is not stuck; taken away until nothing changes, those are left that
    wait in a circle, or for one. Then each group is who can be reached from one and reaches it.
    """
    left = set(edges)
    while free := [waiter for waiter in left if edges[waiter].isdisjoint(left)]:
        left.difference_update(free)
    stuck = {waiter: edges[waiter] & left for waiter in left}
    back: dict[str, set[str]] = {}
    for waiter, movers in stuck.items():
        for mover in movers:
            back.setdefault(mover, set()).add(waiter)
    knots: list[set[str]] = []
    done: set[str] = set()
    for agent in sorted(stuck):
        if agent not in done:
            knot = _reached(stuck, agent) & _reached(back, agent)
            done |= knot | {agent}
            if knot:
                knots.append(knot)
    return knots


def _reached(edges: dict[str, set[str]], start: str) -> set[str]:
    """Return all for whom somebody waits, directly or by way of others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for to in edges.get(waiting.pop(), set()) - found:
            found.add(to)
            waiting.append(to)
    return found
