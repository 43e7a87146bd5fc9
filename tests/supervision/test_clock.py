"""Clocks that jump, machines that sleep, patrols that were away: nobody is late by that."""

from pathlib import Path

import pytest

from tests.supervision.scene import MINUTE, WORKER, Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path)
    for number in range(5):
        found.give(f"t{number}", f"f/workers/slot{number % 2}")
    found.started("f/workers/slot0")
    found.started("f/workers/slot1", "run_002")
    found.patrol()
    return found


@pytest.mark.parametrize("hours", [1, 8, 24 * 365])
def test_a_machine_that_slept_finds_nobody_late(scene: Scene, hours: int) -> None:
    scene.later(4 * MINUTE)
    scene.ticks += hours * 3_600.0

    assert scene.patrol() == []


def test_a_clock_that_goes_back_makes_nobody_younger_and_nobody_older(scene: Scene) -> None:
    scene.later(9 * MINUTE)
    scene.ticks -= 5_000.0

    assert scene.patrol() == []
    assert "nudge" in scene.rules(scene.later(2 * MINUTE))


def test_a_machine_that_starts_again_goes_on_where_it_was(scene: Scene) -> None:
    scene.later(9 * MINUTE)
    scene.boot, scene.ticks = "another", 5.0
    scene.restart()

    assert scene.patrol() == []
    assert "nudge" in scene.rules(scene.later(2 * MINUTE))


def test_a_clock_that_is_lost_costs_time_and_nobody_his_life(scene: Scene) -> None:
    scene.later(19 * MINUTE)
    Path(scene.bus.root.path, "watch").unlink()
    scene.restart()

    assert "kill" not in scene.rules(scene.later(9 * MINUTE))


def test_who_was_nudged_before_the_sleep_has_his_time_after_it(scene: Scene) -> None:
    scene.later(11 * MINUTE)
    assert scene.said("nudge")
    scene.ticks += 9 * 3_600.0

    assert "kill" not in scene.rules(scene.later(5 * MINUTE))


def test_agents_that_are_active_through_any_jump_live(scene: Scene) -> None:
    for jump in (30.0, 1e6, -4_000.0, 7_200.0, 120.0, 1e9) * 5:
        scene.ticks += jump
        scene.heard("f/workers/slot0")
        scene.heard("f/workers/slot1", "run_002")
        scene.patrol()

    assert scene.events("agent.killed") == []


def test_a_dry_run_writes_nothing_at_all(scene: Scene) -> None:
    scene.later(9 * MINUTE)
    scene.ticks += 90.0
    before = scene.bus.session.log.last_seq(), Path(scene.bus.root.path, "watch").read_bytes()

    found = scene.passed(dry=True)

    assert found is not None
    assert "nudge" in {step.rule for step in found.steps}
    assert WORKER in found.steps[0].why
    assert (scene.bus.session.log.last_seq(), Path(scene.bus.root.path, "watch").read_bytes()) == before
