"""An agent that waits, reads and acknowledges is killed two thousand times, and misses nothing."""

import os
import time
from pathlib import Path
from typing import Final

import pytest

from tests.processes.figures import tell
from tests.processes.reader_kills import kill_reader_at_random

pytestmark = pytest.mark.torture

KILLS: Final = int(os.environ.get("PALAVER_KILLS", "2000"))


@pytest.mark.parametrize("is_warm", [False, True], ids=["cold", "warm"])
def test_a_reader_that_is_killed_over_and_over_misses_nothing(
    is_warm: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns()
    began = time.monotonic()

    wrong, twice = kill_reader_at_random(tmp_path, seed=seed, kills=KILLS // 2, is_warm=is_warm)

    assert wrong == [], f"seed {seed}"
    assert twice > 0, "some kills came between reading and acknowledging"
    surroundings = "with a daemon" if is_warm else "without a daemon"
    seconds = time.monotonic() - began
    tell(capsys, f"P6: {KILLS // 2} kills of a reader {surroundings}: {twice} given twice, {seconds:.0f} s")
