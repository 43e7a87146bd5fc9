"""Idle with work: a nudge, then the end of the program, then somebody who can decide.

Idle is who has something to do, waits for nobody, and shows no activity: nothing on the bus, no output, no
call of a hook. It begins with the last activity, with the work if that came later, or with the start of
the program; so whatever the agent does begins it anew.
"""

from collections.abc import Iterator
from typing import Final

from palaver.model.task import TO_DO
from palaver.supervision.facts import Facts, Held, Program
from palaver.supervision.spelling import lasting, listed
from palaver.supervision.step import WATCHDOG, Step

#: What an agent that has work may wait for, and is not idle.
WAITING: Final = ("ask",)


def started_idling(facts: Facts) -> dict[str, int]:
    """Return since which event each agent is idle that has work, waits for nobody, and is not a person."""
    asks = {item.waiter for item in facts.items if item.kind in WAITING}
    work: dict[str, int] = {}
    for held in facts.tasks:
        if held.state in TO_DO and held.holder:
            work[held.holder] = min(held.seq, work.get(held.holder, held.seq))
    found = {}
    for agent, given in work.items():
        if agent in asks or facts.is_person(agent) or agent in facts.retired:
            continue
        program = facts.programs.get(agent)
        begun = program.seq if program and not program.ended else 0
        found[agent] = max(facts.active.get(agent, 0), given, begun)
    return found


def idled(facts: Facts) -> Iterator[Step]:
    """Yield the steps for agents that are idle by the clock; some are watched by rounds instead."""
    work: dict[str, list[Held]] = {}
    for held in facts.tasks:
        if held.state in TO_DO and held.holder:
            work.setdefault(held.holder, []).append(held)
    for agent, since in sorted(facts.idle_since.items()):
        if agent in facts.by_rounds and not is_seen(facts, agent):
            continue
        yield from _of(facts, agent, since, sorted(work[agent], key=lambda held: held.id))


def is_seen(facts: Facts, agent: str) -> bool:
    """Tell whether we would see an agent's activity: its program is ours, and it has not gone on without."""
    program = facts.programs.get(agent)
    return program is not None and (not program.ended or facts.active.get(agent, 0) <= program.ended)


def _of(facts: Facts, agent: str, since: int, held: list[Held]) -> Iterator[Step]:
    age = facts.watch.age(since)
    program = facts.programs.get(agent)
    if program and _has_crashed(facts, agent, since, program):
        how = f"signal {program.signal}" if program.signal else f"exit {program.code}"
        ended = "is gone, and nobody saw its end" if program.reason == "lost" else f"ended with {how}"
        yield from freed(facts, agent, since, held, f"its program {program.run} {ended}")
        return
    grace = facts.after("grace") if program and not program.ended and program.seq == since else 0.0
    why = f"{agent} has {listed([each.id for each in held])} and did nothing for {lasting(age)}"
    nudges, nudged = facts.done(since, agent, "nudge")
    if not nudges:
        if age >= facts.after("nudge") + grace:
            mine = listed([each.id for each in held])
            body = f"You have {mine}, and nothing was heard of you for {lasting(age)}."
            body += " Go on, or say what is in the way."
            yield Step("nudge", since=since, agent=agent, to=(agent,), act="nudge", body=body, why=why)
        return
    # The clock of the ladder runs from the nudge, too: nobody is killed who was not woken before.
    kill = facts.after("watchdog") if agent in facts.partners else facts.after("kill")
    waited = facts.watch.age(nudged) >= max(0.0, kill - facts.after("nudge"))
    if age < kill + grace or not waited:
        return
    if agent in facts.partners:
        yield from _watched(facts, agent, since, why)
        return
    if is_seen(facts, agent) or facts.unseen == "release":
        yield from _killed(facts, agent, since, why)
        yield from freed(facts, agent, since, held, f"it did nothing for {lasting(age)}")
    elif age >= facts.after("escalate") + grace:
        yield from _escalated(facts, agent, since, why)


def _has_crashed(facts: Facts, agent: str, since: int, program: Program) -> bool:
    """Tell whether a fault ended the program of an agent, and nobody has started it again."""
    if not program.crashed or facts.watch.age(program.ended) < facts.after("crash"):
        return False
    # Whom the patrol itself has ended did not crash: what becomes of its work was decided then.
    return is_seen(facts, agent) and not facts.done(since, agent, "kill")[0]


def _killed(facts: Facts, agent: str, since: int, why: str) -> Iterator[Step]:
    """End the program; the event stands also where there is none, because the agent is out of its work."""
    if not facts.done(since, agent, "kill")[0]:
        program = facts.programs.get(agent)
        yield Step(
            "kill",
            since=since,
            agent=agent,
            run=program.run if program and not program.ended else "",
            why=why,
        )


def freed(facts: Facts, agent: str, since: int, held: list[Held], why: str) -> Iterator[Step]:
    """Tell who gave an agent its tasks, then release them: once they are free, nobody would tell any more."""
    givers = {each.owner or each.giver for each in held} | {facts.supervisor(agent)}
    to = tuple(sorted((givers & facts.live) - {agent})) or facts.operations
    if to and not facts.done(since, agent, "told")[0]:
        body = f"{agent} is out of its work: {why}. Open again: {listed([each.id for each in held])}."
        yield Step("told", since=since, agent=agent, to=to, body=body, why=f"who gave {agent} work must know")
    for each in held:
        if not facts.done(since, agent, f"release.{each.id}")[0]:
            yield Step(
                "release",
                since=since,
                agent=agent,
                act="release",
                task=each.id,
                fence=each.fence,
                to=(agent,) if agent in facts.live else (),
                body=f"{each.id} is open again: {agent} had it, and {why}.",
                why=f"{agent} had {each.id}, and {why}",
            )


def _watched(facts: Facts, agent: str, since: int, why: str) -> Iterator[Step]:
    """End one of two; the other, and the person, are told. Its work stays its own: it is to be restarted."""
    yield from _killed(facts, agent, since, why)
    to = tuple(dict.fromkeys([facts.partners[agent], *facts.ceo]))
    to = tuple(each for each in to if each in facts.live)
    if not facts.done(since, agent, f"told.{WATCHDOG}")[0]:
        body = f"watchdog: {why}; ended, to be restarted"
        here = (f"@{facts.pairs[agent]}",)
        yield Step("told", tag=WATCHDOG, since=since, agent=agent, to=here, body=body, why=why)
    if to and not facts.done(since, agent, "escalate")[0]:
        yield Step(
            "escalate", since=since, agent=agent, to=to, act="escalate", body=f"{why}. Restart it.", why=why
        )


def _escalated(facts: Facts, agent: str, since: int, why: str) -> Iterator[Step]:
    """Bring somebody silent, whose program is not ours to end, to who can decide."""
    to = tuple(each for each in facts.operations if each != agent) or facts.ceo
    if to and not facts.done(since, agent, "escalate")[0]:
        body = f"{why}. Its program is not run by this bus, so nothing was taken from it."
        yield Step("escalate", since=since, agent=agent, to=to, act="escalate", body=body, why=why)
