"""Live files for minutes: long lives of files, and long talks of all five dialects."""

import shutil
import time
from pathlib import Path

import pytest

from tests.processes.figures import tell
from tests.sync.scene import Scene, check_sum, left_alone
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


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
def test_a_hundred_thousand_lines_at_once_are_a_hundred_thousand_messages(
    tmp_path: Path, speech: Speech, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(tmp_path / "bus")
    file = scene.mount(speech.dialect, **speech.settings) / speech.file
    count = 100_000
    with file.open("ab") as end:
        end.writelines(speech.says(f"n{n}") for n in range(count))
    left_alone(file)
    began = time.monotonic()

    while scene.sync().unfinished:
        # A pass takes a part of a large file, and comes back for the rest.
        continue
    seconds = time.monotonic() - began

    assert scene.bodies() == [f"n{n}" for n in range(count)]
    check_sum(scene.account(speech.dialect, speech.file))
    tell(capsys, f"live files: {count} lines of {speech.dialect} at once in {seconds:.0f} s")
