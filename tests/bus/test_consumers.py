"""Delivery at least once: whoever dies between reading and acknowledging misses nothing."""

from pathlib import Path

import pytest

from tests.bus.consumers import killed_consumers

pytestmark = pytest.mark.on_disk("other processes use the log")

SEED = 6


def test_consumers_killed_between_read_and_acknowledgement_miss_nothing_and_every_repeat_is_marked(
    tmp_path: Path,
) -> None:
    consumed = killed_consumers(tmp_path, seed=SEED, kills=50, messages=5)

    assert set(consumed.given) == set(consumed.sent), SEED
    assert consumed.unmarked == [], SEED
    assert consumed.left == [], SEED
    assert consumed.acknowledged == dict.fromkeys(consumed.sent, 1), SEED
    assert sum(consumed.given.values()) - len(consumed.sent) >= 20, SEED
