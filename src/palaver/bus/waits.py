"""What somebody waits for: how long, and who must move. And whether some wait for each other in a circle."""

from palaver.bus import tasks
from palaver.bus.core import Core
from palaver.bus.leases import age
from palaver.log.stamp import now
from palaver.model.task import Task
from palaver.views.policy import Policy
from palaver.views.questions import questions

# What is waited for, in words; the first three stop whoever waits, and so can close a circle.
KINDS = {
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
_STOPPING = ("ask", "approval", "block")


class Wait:
    """One thing that is waited for."""

    __slots__ = ("at", "gist", "kind", "message", "movers", "seconds", "task", "waiter")

    def __init__(self, kind: str, waiter: str, movers: list[str], *, at: str, until: str) -> None:
        """Take what is waited for, who waits, who must move, and since when."""
        self.kind = kind
        self.waiter = waiter
        self.movers = movers
        self.at = at
        self.seconds = int(age(at, until))
        self.message = ""
        self.task = ""
        self.gist = ""

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {name: getattr(self, name) for name in sorted(self.__slots__)}


class Waits:
    """All that is waited for, oldest first, and the circles in it."""

    __slots__ = ("cycles", "waits")

    def __init__(self, waits: list[Wait]) -> None:
        """Take the waits; the circles are found here."""
        self.waits = waits
        edges: dict[str, set[str]] = {}
        for wait in waits:
            # Where one of several can move, nobody is stuck for sure.
            if wait.kind in _STOPPING and wait.waiter and len(wait.movers) == 1:
                edges.setdefault(wait.waiter, set()).add(wait.movers[0])
        self.cycles = circles(edges)

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"waits": [wait.plain() for wait in self.waits], "cycles": self.cycles}


def waiting(core: Core) -> Waits:
    """Return all that somebody waits for."""
    cards = tasks.list_tasks(core, states=("claimed", "assigned", "handed", "blocked", "delivered", "checking"))
    leads = sorted(Policy(core.view.roster()).leads())
    until = now()
    found: list[Wait] = []
    for question in questions(core.view.current()):
        wait = Wait(question.kind, question.asker, [question.asked], at=question.at, until=until)
        wait.message, wait.task, wait.gist = question.id, question.task, question.gist
        found.append(wait)
    for card in cards:
        found.append(_of_task(card.task, leads, until))
    return Waits(sorted(found, key=lambda wait: (wait.at, wait.task, wait.message)))


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
    """Return the groups in which everyone waits, by some way, for everyone: Tarjan, without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    knots: list[set[str]] = []
    for root in sorted(edges):
        work = [(root, iter(sorted(edges.get(root, ()))))] if root not in number else []
        if work:
            number[root] = low[root] = len(number)
            stack.append(root)
        while work:
            node, rest = work[-1]
            to = next(rest, None)
            if to is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    knot = set(stack[stack.index(node) :])
                    del stack[stack.index(node) :]
                    if len(knot) > 1 or node in edges.get(node, ()):
                        knots.append(knot)
            elif to not in number:
                number[to] = low[to] = len(number)
                stack.append(to)
                work.append((to, iter(sorted(edges.get(to, ())))))
            elif to in stack:
                low[node] = min(low[node], number[to])
    return knots
