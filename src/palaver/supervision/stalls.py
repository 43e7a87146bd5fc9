"""Other stalls: expired leases, released work that nobody took, silent programs and supervisors, cycles."""

from collections.abc import Iterator

from palaver.model.clock_text import spell_duration
from palaver.supervision.facts import Facts
from palaver.supervision.step import Step, StepRule, escalate


def end_leases(facts: Facts) -> Iterator[Step]:
    """Yield the leases that have expired, and warnings to the holders of those that soon will."""
    for lease in facts.leases.values():
        age = facts.clock.age(lease.heard)
        if rule := lease.due(age):
            silent = f"was silent about it for {spell_duration(age)}"
            yield Step(
                StepRule(rule),
                lease.heard,
                lease.holder,
                f"{lease.holder} claimed {lease.task}, and {silent}",
                to=(lease.holder,),
                task=lease.task,
                fence=lease.fence,
            )


def escalate_orphans(facts: Facts) -> Iterator[Step]:
    """Yield work that was taken from an agent and that nobody has taken since."""
    for since, agent, task in facts.orphans:
        if facts.is_past("escalate", since):
            age = spell_duration(facts.clock.age(since))
            why = f"{agent} lost {task}, and no agent has taken it for {age}"
            yield from escalate(since, agent, facts.team.operations, why)


def report_silent_programs(facts: Facts) -> Iterator[Step]:
    """Yield programs that print nothing while their agent has work and says nothing."""
    for agent, since in sorted(facts.idle_since.items()):
        program = facts.programs.get(agent)
        if not program or program.ended or not facts.is_past("stall", since):
            continue
        to = tuple(filter(None, [facts.team.supervisor(agent)])) or facts.team.operations
        if to:
            why = f"{program.run} of {agent} has printed nothing for {spell_duration(facts.clock.age(since))}"
            yield Step(StepRule.TOLD, since, agent, why, tag="stall", to=to, body=f"{why}.")


def ping_supervisors(facts: Facts) -> Iterator[Step]:
    """Yield pings of silent supervisors, and escalations of those that do not answer."""
    for supervisor, since in sorted(facts.silent_supervisors.items()):
        ping = facts.taken(StepRule.PING, since, supervisor)
        if facts.is_past("ping", since):
            age = spell_duration(facts.clock.age(since))
            why = f"{supervisor} has been silent for {age}, and its workers have work"
            body = "Are you there? Any sign of life will do."
            yield Step(StepRule.PING, since, supervisor, why, to=(supervisor,), body=body)
        if ping.times and facts.is_past("pong", ping.last):
            why = f"{supervisor} does not answer a ping"
            yield from escalate(since, supervisor, facts.team.operations, why)


def report_stray_assignments(facts: Facts) -> Iterator[Step]:
    """Yield assignments for work that is over or unknown."""
    for agent, ref, giver, seq in facts.stray_assignments:
        to = (giver,) if giver in facts.team.live and giver != agent else facts.team.operations
        if to and facts.is_past("closed", seq):
            why = f"{agent} is assigned {ref}, which is over or unknown"
            body = f"{why}. Clear it: co assignment clear {agent}"
            yield Step(StepRule.TOLD, seq, agent, why, tag="closed", to=to, body=body)


def escalate_cycles(facts: Facts) -> Iterator[Step]:
    """Yield cycles: no agent in one can act, so another one must hear of it."""
    for since, agents in facts.cycles:
        why = f"they wait for each other: {' → '.join(agents)}"
        yield from escalate(since, agents[0], facts.team.operations, why, tag="circle")
