"""Eight processes claim the same tasks: each task has one winner, and everybody knows who it is."""

from pathlib import Path

import pytest

from tests import dice
from tests.bus.claims import campaign
from tests.bus.scene import bus_in
from tests.views.dumps import dump, rebuilt


@pytest.mark.on_disk("other processes use the log")
@pytest.mark.random
@pytest.mark.slow
def test_eight_processes_claim_200_tasks_and_each_has_one_winner(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)

    campaign(bus, 200, seed=dice.seed())

    live = dump(bus)
    assert rebuilt(bus) == live
