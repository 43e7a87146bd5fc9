"""A small company for a day: the laws hold, and planted bugs are found."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.bus.tasks.leases import Lease, running
from palaver.model.deadlines import PatrolClock
from palaver.supervision import facts, facts_query, patrol, reminders
from palaver.supervision.facts import Facts
from palaver.supervision.patrol_service import PatrolService
from palaver.supervision.step import Step, StepRule
from palaver.views.query import Query
from tests.dice import seed as drawn_seed
from tests.memory import in_memory
from tests.supervision.company import Company

HOUR = 60
# A day on which something happens that tells each of the planted bugs.
SEED = 5


# A simulated day is a few seconds of work; a busy machine makes minutes of them.
pytestmark = [pytest.mark.timeout(600), pytest.mark.on_disk("it takes long, and once is enough")]


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Path]:
    with in_memory(tmp_path) as folder:
        yield folder


def simulated(folder: Path, seed: int, *, workers: int, hours: int) -> list[str]:
    """Run a company; return which laws it broke, with its seed."""
    company = Company(folder, seed, workers)
    broken: list[str] = []
    for hour in range(hours):
        for _ in range(HOUR):
            company.minute()
        broken = company.judged()
        if broken:
            return [f"seed {seed}, hour {hour}", *broken]
    return broken


@pytest.mark.random
def test_a_small_company_lives_through_a_day(ground: Path) -> None:
    seed = drawn_seed()

    assert simulated(ground, seed, workers=6, hours=8) == []


def _wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = PatrolClock.advance

    def jumping(self: PatrolClock, *, gap: float, **seen: Any) -> PatrolClock:
        return advance(self, gap=gap * 1e9, **seen)

    monkeypatch.setattr(PatrolClock, "advance", jumping)


def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "PAUSING", ())


def _questions_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    overdue = reminders._overdue
    monkeypatch.setattr(
        reminders, "_overdue", lambda *given: (each for each in overdue(*given) if each[0].kind != "ask")
    )


def _keys_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Step.key
    monkeypatch.setattr(Step, "key", lambda self, cause: f"{key(self, cause)}:{random.random()}")


def _nudges_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    append = PatrolService._append

    def losing(self: PatrolService, found: Facts, steps: list[Step], *rest: Any) -> list[Step]:
        return append(self, found, [step for step in steps if step.rule != "nudge"], *rest)

    monkeypatch.setattr(PatrolService, "_append", losing)


def _the_active_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(facts: Facts) -> Iterator[Step]:
        for agent, since in sorted(facts.idle_since.items())[:1]:
            if not facts.is_past("nudge", since):
                yield Step(StepRule.KILL, since, agent, "a mistake")

    monkeypatch.setattr(patrol, "CHECKS", (*patrol.CHECKS, mistaken))


def _leases_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(db: Query) -> dict[str, Lease]:
        return {task: lease._replace(seconds=lease.seconds // 4) for task, lease in running(db).items()}

    monkeypatch.setattr(facts_query, "running", short)


def _leases_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_query, "running", lambda _: {})


# Each with what is said of it, among other things.
PLANTS: dict[Callable[[pytest.MonkeyPatch], None], str] = {
    _wall_clock: "s before",
    _nobody_waits: "was nudged, and waits for",
    _questions_are_forgotten: "waits for an answer to",
    _keys_of_their_own: "was taken 2 times",
    _nudges_are_lost: "is silent and keeps",
    _the_active_are_killed: "was killed, and was active",
    _leases_are_short: "the lease of",
    _leases_are_forgotten: "its lease does not end",
}


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__.lstrip("_"))
def test_a_planted_bug_is_found(
    ground: Path, monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    plant(monkeypatch)

    found = simulated(ground, SEED, workers=6, hours=8)

    assert any(PLANTS[plant] in each for each in found), found
