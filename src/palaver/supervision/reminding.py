"""What somebody waits for: a reminder to who must move, then another who takes it over, or who can decide.

One message to an agent names all that waits for it. Between two of them there is a cooldown, of one thing
there are a few, and of one agent so many in a day; after that it climbs without more of them.
"""

from collections.abc import Iterator

from palaver.model.deadlines import KIND_KEYS
from palaver.model.limits import PATROL_ITEMS
from palaver.supervision.facts import Facts, Held, Item
from palaver.supervision.idling import freed
from palaver.supervision.spelling import lasting, listed
from palaver.supervision.step import Step

#: What is waited for, as a reminder says it.
_WORDS = {
    "ask": "{waiter} waits for your answer to {about}",
    "mention": "{waiter} mentioned you in {about}: acknowledge it",
    "shutdown": "{waiter} asks you to end ({about}): confirm it, or refuse",
    "ping": "{waiter} asks for a sign of life ({about})",
    "approval": "{waiter} waits for your approval of {about}",
    "start": "{about} is given to you: take it, or refuse it",
    "handoff": "{waiter} handed {about} to you: take it, or refuse it",
    "check": "{waiter} delivered {about}: accept it, or want it done again",
    "block": "{waiter} is blocked in {about}: find a way on",
    "report": "you work on {about}: deliver it, say how it goes, or what blocks it",
}

# What goes on to somebody else if it is not taken, and what an idle agent is nudged for anyway.
_PASSED = ("start", "handoff")
_NUDGED = ("start", "handoff", "report")


class _Bounds:
    """Up to which event each of the deadlines is over: one comparison tells, and most of many is younger."""

    __slots__ = ("cool", "idle", "late", "old", "reminders", "rested")

    def __init__(self, facts: Facts) -> None:
        """Work them out, once for all that waits."""
        at, after = facts.watch.head_at, facts.after
        firsts = {kind: after(key) for kind, key in KIND_KEYS.items()}
        cooldown = after("cooldown")
        self.old = {kind: at(first) for kind, first in firsts.items()}
        self.late = {
            kind: at(
                max(after("reassign"), first) if kind in _PASSED else max(after("escalate"), first + cooldown)
            )
            for kind, first in firsts.items()
        }
        self.rested = at(min(cooldown, after("escalate")))
        self.cool = at(cooldown)
        self.idle = at(after("nudge"))
        self.reminders = after("reminders")


def reminded(facts: Facts) -> Iterator[Step]:
    """Yield reminders, and what comes after them."""
    held = {each.id: each for each in facts.tasks}
    due: dict[str, list[Item]] = {}
    higher: dict[tuple[str, ...], list[Item]] = {}
    bounds = _Bounds(facts)
    for item, late in _overdue(facts, bounds):
        if late and item.kind in _PASSED:
            yield from _passed(facts, item, held[item.task])
        elif late and not facts.done(item.since, item.agent, "escalate")[0]:
            higher.setdefault(_above(facts, item.agent), []).append(item)
        elif not late and _is_remindable(facts, item, bounds):
            due.setdefault(item.agent, []).append(item)
    for agent in sorted(due):
        yield from _reminder(facts, agent, due[agent])
    for to in sorted(higher):
        yield from _escalation(facts, to, higher[to])


def _overdue(facts: Facts, bounds: _Bounds) -> Iterator[tuple[Item, bool]]:
    """Yield what has waited for too long, and whether reminders have had their time."""
    old, late, live = bounds.old, bounds.late, facts.live
    for item in facts.items:
        kind, since, agent, *_ = item
        if since > old[kind]:
            continue
        if agent not in live:
            # Whom nobody can remind.
            yield item, True
        else:
            last = facts.done(since, agent, "remind")[1] if since <= late[kind] else None
            yield item, last is not None and last <= bounds.rested


def taken_over(facts: Facts) -> Iterator[Step]:
    """Yield the tasks of a collab that are blocked the second time: the other one takes them over."""
    for held in facts.tasks:
        other = facts.partners.get(held.holder, "")
        twice = held.state == "blocked" and facts.blocks.get(held.id, 0) >= 2
        if twice and other in facts.live and not facts.done(held.seq, held.holder, f"reassign.{held.id}")[0]:
            why = f"{held.holder} is blocked in {held.id} for the second time"
            yield _given(held, held.holder, held.seq, other, why)


def _is_remindable(facts: Facts, item: Item, bounds: _Bounds) -> bool:
    """Tell whether an agent may be reminded of something now."""
    if item.kind in _NUDGED and 0 < facts.idle_since.get(item.agent, 0) <= bounds.idle:
        # It is nudged for the same thing.
        return False
    count, last = facts.done(item.since, item.agent, "remind")
    return count < bounds.reminders and last <= bounds.cool


def _reminder(facts: Facts, agent: str, items: list[Item]) -> Iterator[Step]:
    """Yield one reminder of everything, if the agent has had none lately, and not too many today."""
    today, last = facts.reminded.get(agent, (0, 0))
    if today >= facts.after("cap") or (last and facts.watch.age(last) < facts.after("cooldown")):
        return
    items = sorted(items, key=lambda item: (item.since, item.about))[:PATROL_ITEMS]
    lines = [
        f"{_WORDS[item.kind].format(waiter=item.waiter or 'somebody', about=item.about)}"
        f" (for {lasting(facts.watch.age(item.since))})"
        for item in items
    ]
    count = [facts.done(item.since, agent, "remind")[0] + 1 for item in items]
    yield Step(
        "remind",
        since=items[0].since,
        agent=agent,
        n=count[0],
        to=(agent,),
        act="nudge",
        body="\n".join(lines),
        also=tuple((item.since, agent, n) for item, n in zip(items[1:], count[1:], strict=True)),
        why=f"{agent} must move: {listed([item.about for item in items])}",
    )


def _escalation(facts: Facts, to: tuple[str, ...], items: list[Item]) -> Iterator[Step]:
    """Yield one message about all that did not help."""
    if not to:
        return
    items = sorted(items, key=lambda item: (item.since, item.agent))[:PATROL_ITEMS]
    lines = [
        f"{item.waiter or 'somebody'} waits for {item.agent}: {item.kind} {item.about}"
        f" ({lasting(facts.watch.age(item.since))})"
        for item in items
    ]
    yield Step(
        "escalate",
        since=items[0].since,
        agent=items[0].agent,
        to=to,
        act="escalate",
        body="\n".join(lines),
        also=tuple((item.since, item.agent, 1) for item in items[1:]),
        why=f"reminding did not help: {listed([item.about for item in items])}",
    )


def _above(facts: Facts, agent: str) -> tuple[str, ...]:
    """Return who decides over an agent: operations; over operations, the CEO."""
    return facts.ceo if agent in facts.operations else facts.operations


def _passed(facts: Facts, item: Item, held: Held) -> Iterator[Step]:
    """Give a task that nobody took back to who handed it on, or make it open again."""
    why = f"{item.agent} has not taken {held.id} in {lasting(facts.watch.age(item.since))}"
    back = held.giver if item.kind == "handoff" else ""
    if back in facts.live and back != held.holder:
        if not facts.done(item.since, item.agent, f"reassign.{held.id}")[0]:
            yield _given(held, item.agent, item.since, back, why)
    else:
        took = f"it has not taken {held.id} in {lasting(facts.watch.age(item.since))}"
        yield from freed(facts, item.agent, item.since, [held], took)


def _given(held: Held, agent: str, since: int, to: str, why: str) -> Step:
    return Step(
        "reassign",
        since=since,
        agent=agent,
        to=(to,),
        act="assign",
        task=held.id,
        fence=held.fence,
        body=f"{held.id} is yours: {why}.",
        why=why,
    )
