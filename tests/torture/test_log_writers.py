"""Floods: 32 writers at once, and every message is there, in its writer's order."""

import shutil
import time
from pathlib import Path

import pytest

from tests.log.test_writers import written
from tests.processes.figures import tell

pytestmark = pytest.mark.torture


def test_eight_processes_of_four_threads_send_five_thousand_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()

    judgement = written(tmp_path, processes=8, threads=4, count=5_000)

    assert judgement.complaints() == []
    assert (judgement.acks, judgement.events) == (160_000, 160_000)
    tell(capsys, f"P4: 8 processes x 4 threads x 5000: {judgement}, {time.monotonic() - began:.0f} s")
    shutil.rmtree(tmp_path / "bus")
