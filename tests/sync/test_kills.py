"""Killed anywhere, nothing is missing and nothing is twice: in the log, and in the files."""

import time
from pathlib import Path

from tests.sync.kills import campaign


def test_killed_thirty_times_while_others_write_nothing_is_missing_and_nothing_twice(tmp_path: Path) -> None:
    seed = time.time_ns()

    judgement = campaign(tmp_path, seed=seed, kills=30)

    assert judgement.complaints == [], f"seed {seed}: {judgement}"
    assert judgement.sent > 5, f"seed {seed}: they did send: {judgement}"
    assert judgement.foreign > 5, f"seed {seed}: they did write: {judgement}"
