"""A thousand kills of whoever takes in and writes out: nothing missing, nothing twice, in log and files."""

import time
from pathlib import Path

import pytest

from tests.processes.figures import tell
from tests.sync.kills import campaign
from tests.sync.mutants import MUTANTS

pytestmark = pytest.mark.torture


def test_a_thousand_kills_in_the_middle_of_intake_and_rendering_lose_and_double_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns()
    began = time.monotonic()

    judgement = campaign(tmp_path, seed=seed, kills=1_000)

    assert judgement.complaints == [], f"seed {seed}: {judgement}"
    assert judgement.sent > 300, f"seed {seed}: they did send: {judgement}"
    assert judgement.foreign > 1_000, f"seed {seed}: they did write: {judgement}"
    tell(capsys, f"live files: 1000 kills: {judgement}, {time.monotonic() - began:.0f} s")


@pytest.mark.parametrize("mutant", [name for name in MUTANTS if name])
def test_whoever_does_it_in_the_wrong_order_is_found_out(
    tmp_path: Path, mutant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns()

    judgement = campaign(tmp_path, seed=seed, kills=200, mutant=mutant)

    assert judgement.complaints, f"seed {seed}: nothing was found wrong with '{mutant}': {judgement}"
    tell(capsys, f"live files: '{mutant}': {judgement}")
