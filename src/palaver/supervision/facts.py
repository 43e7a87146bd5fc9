"""What a patrol looks at: the state of everything at one moment, as plain values.

`facts_query.py` reads them from the view; the patrol itself asks nobody.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from palaver.bus.tasks.leases import Lease
from palaver.bus.tasks.wait_list import find_cycles
from palaver.model.deadlines import PatrolClock, qualified_rule
from palaver.model.task import TO_DO
from palaver.model.waits import WAITS, Blocks
from palaver.supervision.step import StepRule
from palaver.supervision.team import Team
from palaver.views.supervision.notices import Notice

#: Kinds of wait in which the waiter is stopped as a whole, and so not idle.
PAUSING: Final = frozenset(kind.name for kind in WAITS if kind.blocks is Blocks.AGENT)
_BLOCKING: Final = frozenset(kind.name for kind in WAITS if kind.blocks is not Blocks.NOTHING)


class AgentProgram(NamedTuple):
    """The program of an agent: the one that runs, or else the last one that ended."""

    run: str
    #: The events of its start and its end; 0 while it runs.
    seq: int
    ended: int
    code: int
    signal: int
    reason: str

    @property
    def has_crashed(self) -> bool:
        """Return True if it ended with a fault; a program whose end nobody saw counts as crashed."""
        return bool(self.ended and (self.code or self.signal or self.reason == "lost"))


class HeldTask(NamedTuple):
    """A task that an agent holds."""

    id: str
    state: str
    holder: str
    owner: str
    giver: str
    checker: str
    seq: int
    fence: int


class OpenWait(NamedTuple):
    """One wait: its kind, the event since which it lasts, the agent that must act, and the agent that waits.

    A tuple, because there may be a hundred thousand of them.
    """

    kind: str
    since: int
    agent: str
    waiter: str
    about: str
    task: str


class Orphan(NamedTuple):
    """A task that the patrol released and nobody has taken: since when, and from which agent."""

    since: int
    agent: str
    task: str


class StrayAssignment(NamedTuple):
    """An assignment for work that is over or unknown."""

    agent: str
    ref: str
    giver: str
    seq: int


class Taken(NamedTuple):
    """How many times a step was taken, and in which event last; zeros if never."""

    times: int = 0
    last: int = 0


class Cycle(NamedTuple):
    """Agents that wait for each other, and the event that closed the cycle."""

    since: int
    agents: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Everything that a patrol looks at."""

    clock: PatrolClock
    deadlines: Mapping[str, float]
    team: Team
    #: The last activity of each agent, and its program.
    active: Mapping[str, int]
    programs: Mapping[str, AgentProgram]
    tasks: Sequence[HeldTask]
    waits: Sequence[OpenWait]
    #: The leases that run, by task.
    leases: Mapping[str, Lease]
    #: How often the holder of each blocked task has blocked it.
    block_counts: Mapping[str, int]
    stray_assignments: Sequence[StrayAssignment]
    #: The polls of each agent, as a lead (True) or as a worker: their events.
    polls: Mapping[tuple[str, bool], Sequence[int]]
    #: The event that opened the oldest open task, and the last claim or delivery of each agent.
    oldest_open: int
    last_claims: Mapping[str, int]
    orphans: Sequence[Orphan]
    #: The steps taken for what still lasts, by since, agent and rule with its subject.
    steps: Mapping[tuple[int, str, str], tuple[int, int]]
    #: What supervision has said and nobody has dealt with yet.
    notices: Sequence[Notice]
    #: How many reminders each agent got in the last day, and the last of them.
    reminded: Mapping[str, tuple[int, int]]
    last_patrol: int

    def is_past(self, key: str, since: int) -> bool:
        """Return True if something has lasted longer than a deadline since an event."""
        return self.clock.age(since) >= self.deadlines[key]

    def taken(self, rule: StepRule, since: int, agent: str, subject: str = "") -> Taken:
        """Return how often a step was taken."""
        return Taken(*self.steps.get((since, agent, qualified_rule(rule, subject)), ()))

    def is_person(self, agent: str) -> bool:
        """Return True if nobody can expect this agent to answer within minutes."""
        return agent == self.team.person or (agent in self.team.ceo and agent not in self.programs)

    def is_seen(self, agent: str) -> bool:
        """Return True if the bus runs the agent's program, or ran the last one, and so sees its activity."""
        program = self.programs.get(agent)
        return program is not None and (not program.ended or self.active.get(agent, 0) <= program.ended)

    @cached_property
    def work(self) -> Mapping[str, Sequence[HeldTask]]:
        """Return the tasks that each agent should be working on."""
        found: dict[str, list[HeldTask]] = {}
        for held in self.tasks:
            if held.state in TO_DO and held.holder:
                found.setdefault(held.holder, []).append(held)
        return found

    @cached_property
    def idle_since(self) -> Mapping[str, int]:
        """Return the idle agents, each with the event since which: they have work and wait for nobody."""
        asking = {wait.waiter for wait in self.waits if wait.kind in PAUSING}
        found = {}
        for agent, held in self.work.items():
            if agent in asking or self.is_person(agent) or agent in self.team.retired:
                continue
            program = self.programs.get(agent)
            started = program.seq if program and not program.ended else 0
            found[agent] = max(self.active.get(agent, 0), min(each.seq for each in held), started)
        return found

    @cached_property
    def silent_supervisors(self) -> Mapping[str, int]:
        """Return the supervisors whose workers have work, and the event since which each was silent."""
        work: dict[str, int] = {}
        for agent, held in self.work.items():
            factory, slash, _ = agent.partition("/")
            if slash:
                work[factory] = min(work.get(factory, held[0].seq), *(each.seq for each in held))
        return {
            supervisor: max(self.active.get(supervisor, 0), given)
            for supervisor, given in ((f"{factory}/supervisor", given) for factory, given in work.items())
            if supervisor in self.team.live and not self.is_person(supervisor)
        }

    @cached_property
    def cycles(self) -> Sequence[Cycle]:
        """Return the cycles of agents that have waited for each other for longer than the deadline."""
        old = self.clock.head_at(self.deadlines["circle"])
        blocking = [
            (since, waiter, agent)
            for kind, since, agent, waiter, *_ in self.waits
            if since <= old and kind in _BLOCKING and waiter
        ]
        movers = Counter([since for since, _, _ in blocking])
        # If one of several agents can act, the waiter may not be stuck.
        blocking = [each for each in blocking if movers[each[0]] == 1]
        edges: dict[str, set[str]] = defaultdict(set)
        for _, waiter, agent in blocking:
            edges[waiter].add(agent)
        found = find_cycles(edges)
        pairs = {pair for cycle in found for pair in pairwise(cycle)}
        oldest: dict[tuple[str, str], int] = {}
        for since, waiter, agent in blocking if found else ():
            pair = (waiter, agent)
            if pair in pairs:
                oldest[pair] = min(since, oldest.get(pair, since))
        return [Cycle(max(oldest[pair] for pair in pairwise(cycle)), cycle) for cycle in found]
