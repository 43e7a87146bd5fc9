"""A thousand consumers killed between read and acknowledgement: nothing missed, every repeat marked."""

from pathlib import Path

import pytest

from tests.bus.consumers import killed_consumers
from tests.processes.figures import tell

pytestmark = pytest.mark.torture

KILLS = 1_000


def test_a_thousand_consumers_killed_miss_nothing_and_every_repeat_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = 1_000

    consumed = killed_consumers(tmp_path, seed=seed, kills=KILLS, messages=20)

    repeats = sum(consumed.given.values()) - len(consumed.given)
    tell(capsys, f"{KILLS} consumers killed: {len(consumed.sent)} messages, {repeats} repeats, all marked")
    assert set(consumed.given) == set(consumed.sent), seed
    assert consumed.unmarked == [], seed
    assert consumed.left == [], seed
    assert consumed.acknowledged == dict.fromkeys(consumed.sent, 1), seed
    assert repeats > KILLS / 2, seed
