"""A company of fifty agents for thirty days: nothing is forgotten, nobody who was active is killed."""

import random
import time
from pathlib import Path

import pytest

from tests.memory import in_memory
from tests.processes.figures import tell
from tests.supervision.company import Company

WORKERS = 50
DAYS = 30
WORKING_MINUTES = 480


@pytest.mark.torture
def test_fifty_agents_for_thirty_days(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 31)
    tell(capsys, f"company: seed {seed}")
    started = time.monotonic(), time.process_time()
    with in_memory(tmp_path) as folder:
        company = Company(folder, seed, WORKERS)
        for day in range(DAYS):
            for _ in range(WORKING_MINUTES):
                company.minute()
            broken = company.judged()
            assert broken == [], (seed, day, broken[:5])
            company.night()

    taken = time.monotonic() - started[0], time.process_time() - started[1]
    steps = sum(company.lines.values())
    tell(
        capsys,
        f"company: {WORKERS} agents, {DAYS} days, {company.seen} events, {steps} steps, each once;"
        f" {company.crashes} crashes of the patrol; {taken[0]:.0f} s, of which {taken[1]:.0f} s at work",
    )
