"""What else does not go on: work that nobody took again, programs and supervisors without a word, circles."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from palaver.bus.waits import circles
from palaver.model.task import TO_DO
from palaver.supervision.facts import Facts
from palaver.supervision.spelling import lasting
from palaver.supervision.step import Step

#: What stops whoever waits for it.
_STOPPING: Final = ("ask", "approval", "block")


def orphaned(facts: Facts) -> Iterator[Step]:
    """Yield work that was taken from somebody and that nobody has taken again."""
    for since, agent, task in facts.orphans:
        age = facts.watch.age(since)
        if (
            age >= facts.after("escalate")
            and not facts.done(since, agent, "escalate")[0]
            and facts.operations
        ):
            why = f"{agent} lost {task}, and nobody has taken it for {lasting(age)}"
            yield Step(
                "escalate", since=since, agent=agent, to=facts.operations, act="escalate", body=why, why=why
            )


def stalled(facts: Facts) -> Iterator[Step]:
    """Yield programs that write nothing while their agent has work and says nothing."""
    for agent, since in sorted(facts.idle_since.items()):
        program = facts.programs.get(agent)
        age = facts.watch.age(since)
        if not program or program.ended or age < facts.after("stall"):
            continue
        to = tuple(filter(None, [facts.supervisor(agent)])) or facts.operations
        if to and not facts.done(since, agent, "told.stall")[0]:
            why = f"{program.run} of {agent} has written nothing for {lasting(age)}"
            yield Step("told", tag="stall", since=since, agent=agent, to=to, body=f"{why}.", why=why)


def silent_supervisors(facts: Facts) -> dict[str, int]:
    """Return the supervisors that do nothing while their workers have work, and since which event."""
    work: dict[str, int] = {}
    for held in facts.tasks:
        factory, slash, _ = held.holder.partition("/")
        if slash and held.state in TO_DO:
            work[factory] = min(held.seq, work.get(factory, held.seq))
    found = {}
    for factory, given in work.items():
        supervisor = f"{factory}/supervisor"
        if supervisor in facts.live and not facts.is_person(supervisor):
            found[supervisor] = max(facts.active.get(supervisor, 0), given)
    return found


def pinged(facts: Facts) -> Iterator[Step]:
    """Yield pings of silent supervisors, and what comes if they do not answer."""
    for supervisor, since in sorted(silent_supervisors(facts).items()):
        age = facts.watch.age(since)
        pings, at = facts.done(since, supervisor, "ping")
        if age >= facts.after("ping") and not pings:
            why = f"{supervisor} did nothing for {lasting(age)}, and its workers have work"
            body = "Are you there? Any sign of life will do."
            yield Step(
                "ping", since=since, agent=supervisor, to=(supervisor,), act="ping", body=body, why=why
            )
        late = pings and facts.watch.age(at) >= facts.after("pong")
        if late and facts.operations and not facts.done(since, supervisor, "escalate")[0]:
            why = f"{supervisor} does not answer a ping"
            yield Step(
                "escalate",
                since=since,
                agent=supervisor,
                to=facts.operations,
                act="escalate",
                body=why,
                why=why,
            )


def strayed(facts: Facts) -> Iterator[Step]:
    """Yield assignments to work that is over, or that nobody knows."""
    for agent, ref, giver, seq in facts.assigned:
        to = (giver,) if giver in facts.live and giver != agent else facts.operations
        done = facts.done(seq, agent, "told.closed")[0]
        if to and not done and facts.watch.age(seq) >= facts.after("closed"):
            why = f"{agent} is assigned {ref}, which is over or unknown"
            body = f"{why}. Clear it: co assignment clear {agent}"
            yield Step("told", tag="closed", since=seq, agent=agent, to=to, body=body, why=why)


def knots(facts: Facts) -> list[tuple[int, list[str]]]:
    """Return the circles in which some wait for each other, each with the event that closed it.

    Only what has lasted so long that it would be brought to somebody is looked at.
    """
    old = facts.watch.head_at(facts.after("circle"))
    stuck = [
        (since, waiter, agent)
        for kind, since, agent, waiter, *_ in facts.items
        if since <= old and kind in _STOPPING and waiter
    ]
    shared = Counter([since for since, _, _ in stuck])
    # Where one of several can move, nobody is stuck for sure.
    stuck = [each for each in stuck if shared[each[0]] == 1]
    edges: dict[str, set[str]] = defaultdict(set)
    for _, waiter, agent in stuck:
        edges[waiter].add(agent)
    found = circles(edges)
    pairs = {pair for circle in found for pair in pairwise(circle)}
    oldest: dict[tuple[str, str], int] = {}
    for since, waiter, agent in stuck if found else ():
        pair = (waiter, agent)
        if pair in pairs:
            oldest[pair] = min(since, oldest.get(pair, since))
    return [(max(oldest[pair] for pair in pairwise(circle)), circle) for circle in found]


def circled(facts: Facts) -> Iterator[Step]:
    """Yield circles: nobody in one can move, so somebody else must hear of it."""
    for since, circle in facts.circles:
        if not facts.done(since, circle[0], "escalate.circle")[0] and facts.operations:
            why = f"they wait for each other: {' → '.join(circle)}"
            yield Step(
                "escalate",
                tag="circle",
                since=since,
                agent=circle[0],
                to=facts.operations,
                act="escalate",
                body=why,
                why=why,
            )
