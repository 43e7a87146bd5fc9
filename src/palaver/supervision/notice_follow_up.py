"""Follow-up of what supervision has sent: withdrawn when no longer true, escalated further when ignored."""

from collections.abc import Iterator

from palaver.model.clock_text import spell_duration
from palaver.model.names import BUS
from palaver.supervision.facts import Facts
from palaver.supervision.step import Step, StepRule, escalate
from palaver.views.supervision.notices import ESCALATION, Notice


def follow_up_notices(facts: Facts) -> Iterator[Step]:
    """Yield the withdrawals, and the escalations that operations has ignored for too long."""
    lasting = _lasting(facts) if facts.notices else set()
    ceo = facts.team.ceo
    # A notice to several agents is one row for each of them; the first one is enough.
    first: dict[str, Notice] = {}
    for notice in facts.notices:
        first.setdefault(notice.id, notice)
    for notice in first.values():
        if (
            notice.sender == BUS
            and notice.steps
            and lasting.isdisjoint((mark.since, mark.agent) for mark in notice.steps)
        ):
            yield Step(
                StepRule.WITHDRAW,
                notice.seq,
                notice.agent,
                f"{notice.id} is no longer true",
                message=notice.id,
            )
            continue
        ignored = notice.rule == ESCALATION and facts.is_past("ceo", notice.seq)
        if ignored and ceo and notice.agent not in ceo:
            age = spell_duration(facts.clock.age(notice.seq))
            why = f"{notice.agent} has not dealt with {notice.id} for {age}: {notice.gist}"
            yield from escalate(notice.seq, notice.agent, ceo, why)


def _lasting(facts: Facts) -> set[tuple[int, str]]:
    """Return everything that still lasts: since which event, and the agent that should act."""
    found = {(wait.since, wait.agent) for wait in facts.waits}
    found |= {(since, agent) for agent, since in facts.idle_since.items()}
    found |= {(orphan.since, orphan.agent) for orphan in facts.orphans}
    found |= {(since, agent) for agent, since in facts.silent_supervisors.items()}
    found |= {(cycle.since, cycle.agents[0]) for cycle in facts.cycles}
    found |= {(notice.seq, notice.agent) for notice in facts.notices if notice.rule == ESCALATION}
    if facts.oldest_open:
        # An agent that claims nothing: the cause is its last claim, or the oldest open task.
        found |= {
            (max(facts.last_claims.get(agent, 0), facts.oldest_open), agent) for agent in facts.team.live
        }
    return found
