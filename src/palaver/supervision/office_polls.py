"""Offices count polls of their manager, not minutes.

WAKE, WAKE_FINAL, ABANDON for a worker with work; IDLE_WARNING, IDLE_REPORT for a worker that claims none.
"""

from collections.abc import Iterator, Sequence

from palaver.supervision.facts import Facts, HeldTask
from palaver.supervision.step import IDLE_REPORT, Step, StepRule, escalate

_IDLE_WARNING = "IDLE_WARNING"
_WAKES = (("WAKE", "wake"), ("WAKE_FINAL", "wake_final"))


def handle_office_polls(facts: Facts) -> Iterator[Step]:
    """Yield the steps for workers of offices that are due by polls."""
    for agent in sorted(facts.team.counted_in_polls & facts.team.live):
        if facts.is_seen(agent):
            continue
        held = [each for each in facts.tasks if each.holder == agent]
        yield from _drop_unapproved_claims(facts, agent, held)
        leads = _leads(facts, agent)
        if not leads or agent in leads:
            continue
        if agent in facts.idle_since:
            yield from _wake(facts, agent, facts.work[agent], leads)
        elif not held and facts.oldest_open:
            yield from _warn_idle(facts, agent, leads)


def _leads(facts: Facts, agent: str) -> tuple[str, ...]:
    """Return the leads whose polls count for a worker: its manager, and the leads of the bus."""
    team = facts.team
    named = dict.fromkeys([team.managers.get(agent, ""), team.manager, *team.leads])
    found = [each for each in named if each in team.live]
    # The lead that polled last comes first: it is told.
    return tuple(sorted(found, key=lambda each: -max(facts.polls.get((each, True), (0,)))))


def _called(facts: Facts, agent: str, task: str) -> str:
    """Return what a task is called in the files of an agent."""
    return facts.team.called.get(agent, str)(task)


def _polls_after(facts: Facts, agents: tuple[str, ...], seq: int, *, lead: bool) -> int:
    return sum(1 for each in agents for at in facts.polls.get((each, lead), ()) if at > seq)


def _wake(facts: Facts, agent: str, held: Sequence[HeldTask], leads: tuple[str, ...]) -> Iterator[Step]:
    """Yield the steps for a silent worker that has work."""
    since = facts.idle_since[agent]
    # The first poll found the last sign of life; those after it found nothing.
    missed = _polls_after(facts, leads, since, lead=True) - 1
    task = _called(facts, agent, held[0].id)
    why = f"{agent} has {task} and was silent for {missed} polls of {leads[0]}"
    for tag, key in _WAKES:
        if missed >= facts.deadlines[key] and not facts.taken(StepRule.WAKE, since, agent, tag).times:
            body = f"You have {task}, and have been silent: say how it goes."
            yield Step(StepRule.WAKE, since, agent, why, tag=tag, to=(agent,), body=body)
            # One step a poll: the worker has until the next poll to answer.
            return
    final = facts.taken(StepRule.WAKE, since, agent, "WAKE_FINAL").last
    if not final or missed < facts.deadlines["abandon"] or not _polls_after(facts, leads, final, lead=True):
        return
    inactive = f"marked inactive after {missed} missed heartbeats"
    body = f"{agent} {inactive}. Tasks released: {task}."
    yield Step(StepRule.TOLD, since, agent, why, to=(leads[0],), body=body)
    for each in held:
        yield _release(each, since, "ABANDON", why, inactive)


def _warn_idle(facts: Facts, agent: str, leads: tuple[str, ...]) -> Iterator[Step]:
    """Yield the steps for a worker without work that claims none of the open tasks."""
    since = max(facts.last_claims.get(agent, 0), facts.oldest_open)
    missed = _polls_after(facts, leads, since, lead=True)
    why = f"{agent} has been idle for {missed} polls"
    warned = facts.taken(StepRule.WAKE, since, agent, _IDLE_WARNING).last
    if not warned:
        if missed >= facts.deadlines["idle_warning"]:
            body = f"has been idle for {missed} polls. Please claim a task or report blockers."
            yield Step(StepRule.WAKE, since, agent, why, tag=_IDLE_WARNING, to=(agent,), body=body)
        return
    if missed < facts.deadlines["idle_report"] or not _polls_after(facts, leads, warned, lead=True):
        return
    to = tuple(dict.fromkeys([leads[0], *facts.team.ceo]))
    yield from escalate(since, agent, to, why, tag=IDLE_REPORT)
    if facts.team.managers.get(agent):
        # The same, where the office looks for it: beside the warning.
        body = f"has been idle for {missed} polls. Reported to the user."
        yield Step(StepRule.TOLD, since, agent, why, tag=IDLE_REPORT, to=(agent,), body=body)


def _drop_unapproved_claims(facts: Facts, agent: str, held: list[HeldTask]) -> Iterator[Step]:
    """Release claims that nobody approved in so many polls of their worker."""
    for each in held:
        waited = _polls_after(facts, (agent,), each.seq, lead=False) if each.state == "claimed" else 0
        if waited and waited >= facts.deadlines["claim_polls"]:
            task = _called(facts, agent, each.id)
            why = f"nobody approved the claim of {task} by {agent} in {waited} polls"
            yield _release(each, each.seq, "TIMEOUT", why, f"{task} is open again: {why}.")


def _release(held: HeldTask, since: int, tag: str, why: str, body: str) -> Step:
    return Step(
        StepRule.RELEASE,
        since,
        held.holder,
        why,
        task=held.id,
        tag=tag,
        fence=held.fence,
        to=(held.holder,),
        body=body,
    )
