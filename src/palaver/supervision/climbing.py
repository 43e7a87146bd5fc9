"""What was said by way of supervision: taken back when it is no longer true, brought higher if ignored."""

from collections.abc import Iterator

from palaver.model.names import BUS
from palaver.supervision.facts import Facts
from palaver.supervision.odds import silent_supervisors
from palaver.supervision.spelling import lasting
from palaver.supervision.step import Step
from palaver.views.supervision.vigil import ESCALATION


def climbed(facts: Facts) -> Iterator[Step]:
    """Yield what is taken back, and what operations has left alone for too long."""
    true = _true(facts) if facts.words else set()
    seen: set[str] = set()
    for word in facts.words:
        if word.id in seen:
            continue
        seen.add(word.id)
        if word.sender == BUS and word.steps and not any(each in true for each in word.about()):
            yield Step(
                "withdraw",
                since=word.seq,
                agent=word.agent,
                message=word.id,
                why=f"what {word.id} says is no longer true",
            )
            continue
        age = facts.watch.age(word.seq)
        unheard = word.rule == ESCALATION and age >= facts.after("ceo") and word.agent not in facts.ceo
        if unheard and facts.ceo and not facts.done(word.seq, word.agent, "escalate")[0]:
            why = f"{word.agent} has not dealt with {word.id} for {lasting(age)}: {word.gist}"
            yield Step(
                "escalate", since=word.seq, agent=word.agent, to=facts.ceo, act="escalate", body=why, why=why
            )


def _true(facts: Facts) -> set[tuple[int, str]]:
    """Return everything that still lasts: since which event, and who should move."""
    found = {(item.since, item.agent) for item in facts.items}
    found |= {(since, agent) for agent, since in facts.idle_since.items()}
    found |= {(since, agent) for since, agent, _ in facts.orphans}
    found |= {(since, agent) for agent, since in silent_supervisors(facts).items()}
    found |= {(since, circle[0]) for since, circle in facts.circles}
    found |= {(word.seq, word.agent) for word in facts.words if word.rule == ESCALATION}
    if facts.opened:
        # Whoever claims nothing that it could: the cause is its last claim, or the oldest open task.
        found |= {(max(facts.claimed.get(agent, 0), facts.opened), agent) for agent in facts.live}
    return found
