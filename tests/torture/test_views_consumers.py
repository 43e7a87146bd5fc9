"""Consumers: a thousand of them killed between read and acknowledgement; nothing missed, every repeat marked."""

from pathlib import Path

import pytest

from tests.bus.consumers import killed_consumers

KILLS = 1_000


@pytest.mark.torture
def test_a_thousand_consumers_killed_miss_nothing_and_every_repeat_is_marked(tmp_path: Path) -> None:
    seed = 1_000

    consumed = killed_consumers(tmp_path, seed=seed, kills=KILLS, messages=20)

    repeats = sum(consumed.given.values()) - len(consumed.given)
    print(
        f"{KILLS} consumers killed: {len(consumed.sent)} messages, {repeats} repeats, all marked (seed {seed})"
    )
    assert set(consumed.given) == set(consumed.sent), seed
    assert consumed.unmarked == [], seed
    assert consumed.left == [], seed
    assert consumed.acknowledged == dict.fromkeys(consumed.sent, 1), seed
    assert repeats > KILLS / 2, seed
