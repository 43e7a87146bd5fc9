"""Many writers lose nothing, mix nothing, and each keeps its own order."""

from pathlib import Path

import pytest

from tests.processes.nursery import Nursery
from tests.processes.oracle import Ground, Judgement, promised
from tests.processes.writing import Job


def written(folder: Path, *, processes: int, threads: int, count: int, mutant: str = "") -> Judgement:
    """Let so many processes and threads write so much each, and judge what is there."""
    ground = Ground(folder / "bus", segment_bytes=1_000_000)
    acks = folder / "acks"
    acks.mkdir()
    with Nursery() as nursery:
        writers = [
            nursery.start(
                Job(
                    log=ground.root.log,
                    lock=ground.root.log_lock,
                    name=f"process{n}",
                    acks=str(acks / str(n)),
                    seed=n,
                    count=count,
                    threads=threads,
                    sizes=(20, 200, 900),
                    segment_bytes=1_000_000,
                    mutant=mutant,
                )
            )
            for n in range(processes)
        ]
        for writer in writers:
            writer.join()
    return Judgement(ground, promised(acks.iterdir()))


@pytest.mark.slow
def test_processes_and_threads_lose_nothing_and_keep_their_own_order(tmp_path: Path) -> None:
    judgement = written(tmp_path, processes=8, threads=4, count=100)

    assert judgement.complaints() == []
    assert (judgement.acks, judgement.events) == (3_200, 3_200)


@pytest.mark.slow
def test_writers_without_a_lock_are_caught(tmp_path: Path) -> None:
    judgement = written(tmp_path, processes=8, threads=1, count=100, mutant="unlocked")

    assert judgement.complaints() != []
