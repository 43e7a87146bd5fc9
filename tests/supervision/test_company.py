"""A small company for a day: the laws hold, and planted bugs are found."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palaver.model import watch
from palaver.supervision import idling, reminding, step
from tests.supervision.company import Company

HOUR = 60
# A day on which something happens that tells each of the planted bugs.
SEED = 40


def simulated(folder: Path, seed: int, *, workers: int, hours: int) -> list[str]:
    """Run a company; return which laws it broke, with its seed."""
    company = Company(folder, seed, workers)
    broken: list[str] = []
    for hour in range(hours):
        for _ in range(HOUR):
            company.minute()
        broken = company.judged()
        if broken:
            return [f"seed {seed}, hour {hour}", *broken[:5]]
    return broken


def test_a_small_company_lives_through_a_day(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 31)

    assert simulated(tmp_path, seed, workers=6, hours=8) == []


def _wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    look = watch.Watch.look

    def jumping(self: watch.Watch, *, gap: float, **seen: Any) -> None:
        look(self, gap=gap * 1e9, **seen)

    monkeypatch.setattr(watch.Watch, "look", jumping)


def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idling, "WAITING", ())


def _questions_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    overdue = reminding._overdue
    monkeypatch.setattr(
        reminding, "_overdue", lambda *given: (each for each in overdue(*given) if each[0].kind != "ask")
    )


def _keys_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    key = step.Step.key
    monkeypatch.setattr(step.Step, "key", lambda self, cause: f"{key(self, cause)}:{random.random()}")


@pytest.mark.parametrize("plant", [_wall_clock, _nobody_waits, _questions_are_forgotten, _keys_of_their_own])
def test_a_planted_bug_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    plant(monkeypatch)

    assert simulated(tmp_path, SEED, workers=6, hours=8)
