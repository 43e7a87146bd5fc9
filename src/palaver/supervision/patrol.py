"""One patrol: facts and a moment in, steps out. Pure: no clock, no disk, no dice.

Whoever has work and does nothing is woken, then his program ends and his work is free again; what nobody
answers is remembered, given to another, or brought to who can decide. Each step says why. A step that
stands in the view was taken, so a patrol that is repeated says nothing twice; and because its key is made
from its cause, two patrols that know nothing of each other do not either.
"""

from collections.abc import Iterator

from palaver.supervision.climbing import climbed
from palaver.supervision.facts import Facts
from palaver.supervision.idling import idled, started_idling
from palaver.supervision.leasing import leased
from palaver.supervision.odds import circled, knots, orphaned, pinged, stalled, strayed
from palaver.supervision.reminding import reminded, taken_over
from palaver.supervision.rounds import counted
from palaver.supervision.step import Step
from palaver.supervision.voices import voice


def patrol(facts: Facts, now: float) -> list[Step]:
    """Return the steps that are due at a moment of the patrol's own clock."""
    assert now == facts.watch.now, "facts are of the moment at which somebody looked"
    facts.idle_since = started_idling(facts)
    facts.circles = knots(facts)
    steps = list(_steps(facts))
    for step in steps:
        step.sender = voice(facts, step)
    return steps


def _steps(facts: Facts) -> Iterator[Step]:
    yield from idled(facts)
    yield from counted(facts)
    yield from leased(facts)
    yield from taken_over(facts)
    yield from orphaned(facts)
    yield from stalled(facts)
    yield from pinged(facts)
    yield from strayed(facts)
    yield from circled(facts)
    yield from reminded(facts)
    yield from climbed(facts)
