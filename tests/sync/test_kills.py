"""Killed anywhere, nothing is missing and nothing is twice: in the log, and in the files."""

import time
from pathlib import Path

import pytest

from tests.sync.kills import campaign
from tests.sync.mutants import MUTANTS


def test_killed_thirty_times_while_others_write_nothing_is_missing_and_nothing_twice(tmp_path: Path) -> None:
    seed = time.time_ns()

    judgement = campaign(tmp_path, seed=seed, kills=30)

    assert judgement.complaints == [], f"seed {seed}: {judgement}"
    assert judgement.sent > 5, f"seed {seed}: they did send: {judgement}"
    assert judgement.foreign > 5, f"seed {seed}: they did write: {judgement}"


@pytest.mark.torture
@pytest.mark.parametrize("mutant", [name for name in MUTANTS if name])
def test_whoever_does_it_in_the_wrong_order_is_found_out(tmp_path: Path, mutant: str) -> None:
    seed = time.time_ns()

    judgement = campaign(tmp_path, seed=seed, kills=150, mutant=mutant)

    assert judgement.complaints, f"seed {seed}: nothing was found wrong with '{mutant}': {judgement}"
