"""Idle agents: a nudge, then the end of the program, then an escalation.

An agent is idle if it has work, waits for nobody and shows no activity: nothing on the bus, no output, no
call of a hook. It is idle since its last activity, since it got the work if that came later, or since its
program started; any activity starts the count again.
"""

from collections.abc import Iterator, Sequence

from palaver.model.clock_text import spell_duration
from palaver.supervision.facts import AgentProgram, Facts, HeldTask
from palaver.supervision.step import WATCHDOG, Step, StepRule, escalate, spell_names


def handle_idle_agents(facts: Facts) -> Iterator[Step]:
    """Yield the steps for agents that are idle by the clock; offices count in polls instead."""
    for agent, since in sorted(facts.idle_since.items()):
        if agent not in facts.team.counted_in_polls or facts.is_seen(agent):
            yield from _handle(facts, agent, since, sorted(facts.work[agent], key=lambda held: held.id))


def _handle(facts: Facts, agent: str, since: int, held: list[HeldTask]) -> Iterator[Step]:
    age = facts.clock.age(since)
    program = facts.programs.get(agent)
    if program and _has_crashed(facts, agent, since, program):
        how = f"signal {program.signal}" if program.signal else f"exit {program.code}"
        end = "is gone, and nobody saw its end" if program.reason == "lost" else f"ended with {how}"
        yield from release_tasks(facts, agent, since, held, f"its program {program.run} {end}")
        return
    grace = facts.deadlines["grace"] if program and not program.ended and program.seq == since else 0.0
    names = spell_names([each.id for each in held])
    why = f"{agent} has {names} and has been idle for {spell_duration(age)}"
    nudge = facts.taken(StepRule.NUDGE, since, agent)
    if not nudge.times:
        if age >= facts.deadlines["nudge"] + grace:
            body = f"You have {names}, and have been silent for {spell_duration(age)}."
            body += " Continue, or say what is in the way."
            yield Step(StepRule.NUDGE, since, agent, why, to=(agent,), body=body)
        return
    # The next deadline also counts from the nudge: no agent is killed that was not nudged before.
    kill = facts.deadlines["watchdog" if agent in facts.team.partners else "kill"]
    waited = facts.clock.age(nudge.last) >= max(0.0, kill - facts.deadlines["nudge"])
    if age < kill + grace or not waited:
        return
    if agent in facts.team.partners:
        yield from _restart_partner(facts, agent, since, why)
    elif facts.is_seen(agent) or facts.team.releases_unseen:
        yield _kill(facts, agent, since, why)
        yield from release_tasks(facts, agent, since, held, f"it has been idle for {spell_duration(age)}")
    elif age >= facts.deadlines["escalate"] + grace:
        # The bus does not run its program, and so cannot kill it.
        to = tuple(each for each in facts.team.operations if each != agent) or facts.team.ceo
        body = f"{why}. This bus does not run its program, so nothing was taken from it."
        yield from escalate(since, agent, to, why, body=body)


def _has_crashed(facts: Facts, agent: str, since: int, program: AgentProgram) -> bool:
    """Return True if a fault ended the program of an agent, and nobody has started it again."""
    if not program.has_crashed or not facts.is_past("crash", program.ended):
        return False
    # A program that the patrol killed did not crash: what happens to its work was decided then.
    return facts.is_seen(agent) and not facts.taken(StepRule.KILL, since, agent).times


def _kill(facts: Facts, agent: str, since: int, why: str) -> Step:
    """Kill the program; without one the event is written too, because the agent loses its work."""
    program = facts.programs.get(agent)
    run = program.run if program and not program.ended else ""
    return Step(StepRule.KILL, since, agent, why, run=run)


def release_tasks(facts: Facts, agent: str, since: int, held: Sequence[HeldTask], why: str) -> Iterator[Step]:
    """Tell the agents that gave the tasks, then release them: a released task no longer names them."""
    team = facts.team
    givers = {each.owner or each.giver for each in held} | {team.supervisor(agent)}
    to = tuple(sorted((givers & team.live) - {agent})) or team.operations
    if to:
        body = f"{agent} is out of its work: {why}. Open again: {spell_names([each.id for each in held])}."
        yield Step(StepRule.TOLD, since, agent, f"{agent} lost its work: {why}", to=to, body=body)
    for each in held:
        yield Step(
            StepRule.RELEASE,
            since,
            agent,
            f"{agent} had {each.id}, and {why}",
            task=each.id,
            fence=each.fence,
            to=(agent,) if agent in team.live else (),
            body=f"{each.id} is open again: {agent} had it, and {why}.",
        )


def _restart_partner(facts: Facts, agent: str, since: int, why: str) -> Iterator[Step]:
    """Kill one of a pair; its partner and the person are told. It keeps its work, because it is restarted."""
    yield _kill(facts, agent, since, why)
    team = facts.team
    mount = (f"@{team.pair_mounts[agent]}",)
    body = f"watchdog: {why}; killed, to be restarted"
    yield Step(StepRule.TOLD, since, agent, why, tag=WATCHDOG, to=mount, body=body)
    to = tuple(each for each in dict.fromkeys([team.partners[agent], *team.ceo]) if each in team.live)
    yield from escalate(since, agent, to, why, body=f"{why}. Restart it.")
