"""Eight processes claim a thousand tasks."""

import random
from pathlib import Path

import pytest

from tests.bus.claims import campaign
from tests.bus.scene import bus_in


@pytest.mark.torture
def test_eight_processes_claim_1000_tasks_and_each_has_one_winner(tmp_path: Path) -> None:
    campaign(bus_in(tmp_path), 1_000, seed=random.SystemRandom().randrange(1 << 31))
