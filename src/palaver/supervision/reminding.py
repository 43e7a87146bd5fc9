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


def reminded(facts: Facts) -> Iterator[Step]:
    """Yield reminders, and what comes after them."""
    held = {each.id: each for each in facts.tasks}
    due: dict[str, list[Item]] = {}
    higher: dict[tuple[str, ...], list[Item]] = {}
    for item, late in _overdue(facts):
        if late and item.kind in ("start", "handoff"):
            yield from _passed(facts, item, held[item.task])
        elif late and not facts.done(item.since, item.agent, "escalate")[0]:
            higher.setdefault(_above(facts, item.agent), []).append(item)
        elif not late and _is_remindable(facts, item):
            due.setdefault(item.agent, []).append(item)
    for agent in sorted(due):
        yield from _reminder(facts, agent, due[agent])
    for to in sorted(higher):
        yield from _escalation(facts, to, higher[to])


def _overdue(facts: Facts) -> Iterator[tuple[Item, bool]]:
    """Yield what has waited for too long, and whether reminders have had their time."""
    firsts = {kind: facts.after(key) for kind, key in KIND_KEYS.items()}
    # Most of many is younger: one comparison tells.
    old = {kind: facts.watch.head_at(first) for kind, first in firsts.items()}
    for item in facts.items:
        if item.since <= old[item.kind]:
            yield item, _is_late(facts, item, facts.watch.age(item.since), firsts[item.kind])


def taken_over(facts: Facts) -> Iterator[Step]:
    """Yield the tasks of a collab that are blocked the second time: the other one takes them over."""
    for held in facts.tasks:
        other = facts.partners.get(held.holder, "")
        twice = held.state == "blocked" and facts.blocks.get(held.id, 0) >= 2
        if twice and other in facts.live and not facts.done(held.seq, held.holder, f"reassign.{held.id}")[0]:
            why = f"{held.holder} is blocked in {held.id} for the second time"
            yield _given(held, held.holder, held.seq, other, why)


def _is_late(facts: Facts, item: Item, age: float, first: float) -> bool:
    """Tell whether reminders have had their time."""
    if item.agent not in facts.live:
        # Whom nobody can remind.
        return True
    patience = max(facts.after("escalate"), first + facts.after("cooldown"))
    if item.kind in ("start", "handoff"):
        patience = max(facts.after("reassign"), first)
    last = facts.done(item.since, item.agent, "remind")[1]
    rested = not last or facts.watch.age(last) >= min(facts.after("cooldown"), facts.after("escalate"))
    return age >= patience and rested


def _is_remindable(facts: Facts, item: Item) -> bool:
    """Tell whether an agent may be reminded of something now."""
    idle = facts.idle_since.get(item.agent)
    if item.kind in ("start", "handoff", "report") and idle and facts.watch.age(idle) >= facts.after("nudge"):
        # It is nudged for the same thing.
        return False
    count, last = facts.done(item.since, item.agent, "remind")
    return count < facts.after("reminders") and (not last or facts.watch.age(last) >= facts.after("cooldown"))


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
