"""An office counts rounds of its manager, not minutes.

WAKE, WAKE_FINAL, ABANDON for who has work; IDLE_WARNING, IDLE_REPORT for who claims none.
"""

from collections.abc import Iterator

from palaver.model.task import TO_DO
from palaver.supervision.facts import Facts, Held
from palaver.supervision.idling import is_seen
from palaver.supervision.step import Step


def counted(facts: Facts) -> Iterator[Step]:
    """Yield the steps for workers of offices that are due by rounds."""
    for agent in sorted(facts.by_rounds & facts.live):
        if is_seen(facts, agent):
            continue
        held = [each for each in facts.tasks if each.holder == agent]
        yield from _let_go(facts, agent, held)
        leads = _leads(facts, agent)
        if not leads or agent in leads:
            continue
        if agent in facts.idle_since:
            yield from _missing(facts, agent, [each for each in held if each.state in TO_DO], leads)
        elif not held and facts.opened:
            yield from _idle(facts, agent, leads)


def _leads(facts: Facts, agent: str) -> tuple[str, ...]:
    """Return whose rounds count for a worker: the manager of its office, and who leads everywhere."""
    named = dict.fromkeys([facts.heads.get(agent, ""), facts.manager, *facts.leads])
    found = [each for each in named if each in facts.live]
    # Who looks comes first: he is told.
    return tuple(sorted(found, key=lambda each: -max(facts.rounds.get((each, True), (0,)))))


def _since(facts: Facts, who: tuple[str, ...], seq: int, *, lead: bool) -> int:
    return sum(1 for each in who for at in facts.rounds.get((each, lead), ()) if at > seq)


def _missing(facts: Facts, agent: str, held: list[Held], leads: tuple[str, ...]) -> Iterator[Step]:
    """Yield the steps for a worker with work of whom nothing was heard."""
    since = facts.idle_since[agent]
    missed = _since(facts, leads, since, lead=True)
    why = f"{agent} has {held[0].id} and was not heard of in {missed} rounds of {leads[0]}"
    for tag, key in (("WAKE", "wake"), ("WAKE_FINAL", "wake_final")):
        if missed >= facts.after(key) and not facts.done(since, agent, f"wake.{tag}")[0]:
            body = f"You have {held[0].id}, and nothing was heard of you: say how it goes."
            yield Step(
                "wake", tag=tag, since=since, agent=agent, to=(agent,), act="nudge", body=body, why=why
            )
            # One rung a round: whoever is woken gets until the next look to answer.
            return
    final = facts.done(since, agent, "wake.WAKE_FINAL")[1]
    if not final or missed < facts.after("abandon") or _since(facts, leads, final, lead=True) < 1:
        return
    if not facts.done(since, agent, "told")[0]:
        body = f"{agent} marked inactive after {missed} missed heartbeats. Tasks released: {held[0].id}."
        yield Step("told", since=since, agent=agent, to=(leads[0],), body=body, why=why)
    for each in held:
        if not facts.done(since, agent, f"release.{each.id}")[0]:
            words = f"marked inactive after {missed} missed heartbeats"
            yield _release(each, since, "ABANDON", why, words)


def _idle(facts: Facts, agent: str, leads: tuple[str, ...]) -> Iterator[Step]:
    """Yield the steps for a worker without work that claims nothing although there is something."""
    since = max(facts.claimed.get(agent, 0), facts.opened)
    missed = _since(facts, leads, since, lead=True)
    why = f"{agent} has been idle for {missed} polls"
    warned = facts.done(since, agent, "wake.IDLE_WARNING")[1]
    if missed >= facts.after("idle_warning") and not warned:
        body = f"has been idle for {missed} polls. Please claim a task or report blockers."
        yield Step(
            "wake", tag="IDLE_WARNING", since=since, agent=agent, to=(agent,), act="nudge", body=body, why=why
        )
    elif warned and missed >= facts.after("idle_report") and _since(facts, leads, warned, lead=True):
        to = tuple(dict.fromkeys([leads[0], *facts.ceo]))
        if not facts.done(since, agent, "escalate.IDLE_REPORT")[0]:
            yield Step(
                "escalate",
                tag="IDLE_REPORT",
                since=since,
                agent=agent,
                to=to,
                act="escalate",
                body=why,
                why=why,
            )
        if facts.heads.get(agent) and not facts.done(since, agent, "told.IDLE_REPORT")[0]:
            # The same, where the office looks for it: beside the warning.
            body = f"has been idle for {missed} polls. Reported to the user."
            yield Step(
                "told", tag="IDLE_REPORT", since=since, agent=agent, to=(agent,), act="escalate",
                body=body, why=why,
            )  # fmt: skip


def _let_go(facts: Facts, agent: str, held: list[Held]) -> Iterator[Step]:
    """Let a claim go that nobody approved in some rounds of its worker."""
    for each in held:
        waited = each.state == "claimed" and _since(facts, (agent,), each.seq, lead=False)
        done = facts.done(each.seq, agent, f"release.{each.id}")[0]
        if waited and waited >= facts.after("claim_rounds") and not done:
            why = f"nobody approved the claim of {each.id} by {agent} in {waited} rounds"
            yield _release(each, each.seq, "TIMEOUT", why, f"{each.id} is open again: {why}.")


def _release(held: Held, since: int, tag: str, why: str, body: str) -> Step:
    return Step(
        "release",
        since=since,
        agent=held.holder,
        act="release",
        task=held.id,
        tag=tag,
        fence=held.fence,
        to=(held.holder,),
        body=body,
        why=why,
    )
