"""Waits: a reminder to the agent that must act, then another agent that takes over, or an escalation.

One message to an agent names everything that waits for it. Reminders have a cooldown, a limit for one thing
and a limit for one agent in a day; beyond those, the wait is escalated without more of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from palaver.model.clock_text import spell_duration
from palaver.model.limits import PATROL_ITEMS
from palaver.model.waits import KINDS
from palaver.supervision.facts import Facts, HeldTask, OpenWait
from palaver.supervision.idle_agents import release_tasks
from palaver.supervision.step import Cause, Step, StepRule, escalate, spell_names

_DEADLINES: Final = {kind.name: kind.deadline for kind in KINDS.values() if kind.deadline}
#: A task that is not taken goes back; what is an agent's own work it is nudged for when it is idle.
_OFFERS: Final = frozenset(kind.name for kind in KINDS.values() if kind.is_offer)
_OWN_WORK: Final = frozenset(kind.name for kind in KINDS.values() if kind.is_own_work)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bounds:
    """The last event for which each deadline has passed: one comparison for each of very many waits."""

    #: By kind: due for a reminder, and due for what comes after reminders.
    due: dict[str, int]
    late: dict[str, int]
    #: The last reminder has had its time.
    rested: int
    cooled: int
    idle: int


def _bounds(facts: Facts) -> _Bounds:
    at, after = facts.clock.head_at, facts.deadlines
    first = {kind: after[key] for kind, key in _DEADLINES.items()}
    cooldown, escalate = after["cooldown"], after["escalate"]
    late = {
        kind: max(after["reassign"], seconds) if kind in _OFFERS else max(escalate, seconds + cooldown)
        for kind, seconds in first.items()
    }
    return _Bounds(
        due={kind: at(seconds) for kind, seconds in first.items()},
        late={kind: at(seconds) for kind, seconds in late.items()},
        rested=at(min(cooldown, escalate)),
        cooled=at(cooldown),
        idle=at(after["nudge"]),
    )


def remind(facts: Facts) -> Iterator[Step]:
    """Yield reminders, and what comes after them."""
    held = {each.id: each for each in facts.tasks}
    due: dict[str, list[OpenWait]] = {}
    escalated: dict[tuple[str, ...], list[OpenWait]] = {}
    bounds = _bounds(facts)
    for wait, late in _overdue(facts, bounds):
        if late and wait.kind in _OFFERS:
            yield from _give_back(facts, wait, held[wait.task])
        elif late and not facts.taken(StepRule.ESCALATE, wait.since, wait.agent).times:
            escalated.setdefault(facts.team.decider_over(wait.agent), []).append(wait)
        elif not late and _can_be_reminded(facts, wait, bounds):
            due.setdefault(wait.agent, []).append(wait)
    for agent in sorted(due):
        yield from _reminder(facts, agent, due[agent])
    for to in sorted(escalated):
        yield from _escalation(facts, to, escalated[to])


def _overdue(facts: Facts, bounds: _Bounds) -> Iterator[tuple[OpenWait, bool]]:
    """Yield the waits that have lasted too long, and whether reminders have had their time."""
    due, late, live = bounds.due, bounds.late, facts.team.live
    for wait in facts.waits:
        kind, since, agent, *_ = wait
        if since > due[kind]:
            continue
        if agent not in live:
            # Nobody is there to be reminded.
            yield wait, True
        else:
            yield (
                wait,
                since <= late[kind] and facts.taken(StepRule.REMIND, since, agent).last <= bounds.rested,
            )


def _can_be_reminded(facts: Facts, wait: OpenWait, bounds: _Bounds) -> bool:
    if wait.kind in _OWN_WORK and 0 < facts.idle_since.get(wait.agent, 0) <= bounds.idle:
        # It is nudged for the same thing.
        return False
    times, last = facts.taken(StepRule.REMIND, wait.since, wait.agent)
    return times < facts.deadlines["reminders"] and last <= bounds.cooled


def _reminder(facts: Facts, agent: str, waits: list[OpenWait]) -> Iterator[Step]:
    """Yield one reminder of everything, if the agent had none lately and not too many today."""
    today, last = facts.reminded.get(agent, (0, 0))
    if today >= facts.deadlines["cap"] or (last and not facts.is_past("cooldown", last)):
        return
    waits = sorted(waits, key=lambda wait: (wait.since, wait.about))[:PATROL_ITEMS]
    lines = [
        f"{KINDS[wait.kind].reminder.format(waiter=wait.waiter or 'somebody', about=wait.about)}"
        f" (for {spell_duration(facts.clock.age(wait.since))})"
        for wait in waits
    ]
    first, *others = (
        Cause(wait.since, agent, n=facts.taken(StepRule.REMIND, wait.since, agent).times + 1)
        for wait in waits
    )
    yield Step(
        StepRule.REMIND,
        first.since,
        agent,
        f"{agent} must act: {spell_names([wait.about for wait in waits])}",
        n=first.n,
        to=(agent,),
        body="\n".join(lines),
        also=tuple(others),
    )


def _escalation(facts: Facts, to: tuple[str, ...], waits: list[OpenWait]) -> Iterator[Step]:
    """Yield one message about everything for which reminders did not help."""
    waits = sorted(waits, key=lambda wait: (wait.since, wait.agent))[:PATROL_ITEMS]
    lines = [
        f"{wait.waiter or 'somebody'} waits for {wait.agent}: {wait.kind} {wait.about}"
        f" ({spell_duration(facts.clock.age(wait.since))})"
        for wait in waits
    ]
    first, *others = waits
    yield from escalate(
        first.since,
        first.agent,
        to,
        f"reminders did not help: {spell_names([wait.about for wait in waits])}",
        body="\n".join(lines),
        also=tuple(Cause(wait.since, wait.agent) for wait in others),
    )


def hand_over_blocked_tasks(facts: Facts) -> Iterator[Step]:
    """Yield the tasks of a pair that are blocked for the second time: the partner takes them over."""
    for held in facts.tasks:
        partner = facts.team.partners.get(held.holder, "")
        blocked_twice = held.state == "blocked" and facts.block_counts.get(held.id, 0) >= 2
        if blocked_twice and partner in facts.team.live:
            why = f"{held.holder} is blocked on {held.id} for the second time"
            yield _reassign(held, held.holder, held.seq, partner, why)


def _give_back(facts: Facts, wait: OpenWait, held: HeldTask) -> Iterator[Step]:
    """Give a task that was not taken back to the agent that handed it on, or open it again."""
    not_taken = f"has not taken {held.id} in {spell_duration(facts.clock.age(wait.since))}"
    back = held.giver if held.state == "handed" else ""
    if back in facts.team.live and back != held.holder:
        yield _reassign(held, wait.agent, wait.since, back, f"{wait.agent} {not_taken}")
    else:
        yield from release_tasks(facts, wait.agent, wait.since, [held], f"it {not_taken}")


def _reassign(held: HeldTask, agent: str, since: int, to: str, why: str) -> Step:
    return Step(
        StepRule.REASSIGN,
        since,
        agent,
        why,
        to=(to,),
        task=held.id,
        fence=held.fence,
        body=f"{held.id} is yours: {why}.",
    )
