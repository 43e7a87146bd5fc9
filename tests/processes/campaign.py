"""Kill writers at random, over and over, and bring up new ones in their place."""

import random
import time
from pathlib import Path
from typing import Final

from tests.processes.nursery import Nursery, Writer
from tests.processes.oracle import Ground, Judgement, promised
from tests.processes.writing import Job

# Small, so that kills hit the start of a segment too.
SEGMENT_BYTES: Final = 400_000


def kill_at_random(folder: Path, *, seed: int, kills: int, writers: int, mutant: str = "") -> Judgement:
    """Let writers write, kill one after another, and judge what is left."""
    dice = random.Random(seed)
    ground = Ground(folder / "bus", segment_bytes=SEGMENT_BYTES)
    acks = folder / "acks"
    acks.mkdir()
    born = 0

    def bear(nursery: Nursery) -> Writer:
        nonlocal born
        born += 1
        job = Job(
            log=ground.root.log,
            lock=ground.root.log_lock,
            name=f"writer{born}",
            acks=str(acks / f"writer{born}"),
            seed=seed,
            segment_bytes=SEGMENT_BYTES,
            mutant=mutant,
        )
        return nursery.start(job)

    with Nursery() as nursery:
        living = [bear(nursery) for _ in range(writers)]
        for _ in range(kills):
            time.sleep(dice.uniform(0.0, 0.02))
            place = dice.randrange(writers)
            living[place].kill()
            living[place] = bear(nursery)
        for writer in living:
            writer.kill()
    return Judgement(ground, promised(acks.iterdir()))
