"""A kill at any moment takes nothing that was acknowledged."""

from pathlib import Path

import pytest

from palaver.api import Bus
from palaver.wiring import begin
from tests.processes.campaign import kill_at_random
from tests.processes.command import palaver
from tests.processes.syscalls import killed, points


@pytest.mark.slow
def test_random_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    seed = 20_260_102

    judgement = kill_at_random(tmp_path, seed=seed, kills=200, writers=8)

    assert judgement.complaints() == [], f"seed {seed}: {judgement}"
    assert judgement.acks > 200, "they did write"


@pytest.mark.slow
def test_a_log_without_its_lock_is_caught(tmp_path: Path) -> None:
    judgement = kill_at_random(tmp_path, seed=1, kills=20, writers=8, mutant="unlocked")

    assert judgement.complaints() != []


@pytest.mark.slow
def test_a_send_that_is_killed_at_any_call_on_the_log_harms_nothing(tmp_path: Path) -> None:
    begin(str(tmp_path), "ada")
    words = ("send", "ada", "-m", "a message")
    found = points(*words, root=tmp_path, agent="ada", trace=tmp_path / "trace")
    start = next(place for place, point in enumerate(found) if "log.lock" in point.words)

    outcome = killed(found[start:], *words, root=tmp_path, agent="ada")

    assert outcome.deaths >= 20
    assert palaver(*words, root=tmp_path, agent="ada").returncode == 0
    bus = Bus(str(tmp_path), agent="ada")
    present = [
        event.data["message_id"]
        for event in bus.session.log.read(0, 10_000)
        if event.event_type == "mail.sent"
    ]
    assert set(outcome.acknowledged) <= set(present)
    assert len(set(present)) == len(present)
    assert bus.verify().faults == []
