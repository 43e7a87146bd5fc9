"""Live files for minutes: long lives of files, and long talks of all five dialects."""

import shutil
import time
from pathlib import Path

import pytest

from tests.processes.figures import tell
from tests.sync.spoken import SPEECHES, Speech
from tests.sync.test_loops import talk
from tests.sync.test_machine import lives

pytestmark = pytest.mark.torture

TALKS = 150


@pytest.mark.parametrize(
    "speech", [each for each in SPEECHES if each.dialect != "runbus"], ids=lambda each: each.dialect
)
def test_whatever_befalls_a_file_for_long_nothing_is_missing_and_nothing_is_twice(speech: Speech) -> None:
    lives(speech, examples=150, steps=40)


def test_long_talks_in_all_five_dialects_come_to_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns() % (1 << 30)
    tell(capsys, f"talks: seeds {seed} to {seed + TALKS - 1}")

    for place in range(TALKS):
        folder = tmp_path / str(place)
        talk(folder, seed + place, 40)
        shutil.rmtree(folder)

    tell(capsys, f"talks: {TALKS} of 40 messages in five dialects: each in the log once, then rest")
