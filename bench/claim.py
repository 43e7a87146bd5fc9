"""Claim: the cost of a claim compared with a send, in a program and as a command.

A claim is judged, stored, synced and read back, so that its caller knows whose the task is. The send that
does as much is one with a key; a plain send looks at nothing.
"""

import sys
from collections.abc import Callable
from compileall import compile_dir
from itertools import count
from pathlib import Path

from bench.commands import spawned
from bench.ground import BODY, Ground
from bench.measure import Row, in_rounds, milliseconds, per_second, ratios, timed
from palaver import __file__ as palaver_file
from palaver.api import Bus
from palaver.bus.writer import draft

# Rounds to warm up.
SPARE = 10


def measure(ground: Ground) -> list[Row]:
    """Return both rows."""
    return [in_a_program(ground), as_a_command(ground)]


def opened(bus: Bus, tasks: int) -> None:
    """Open so many tasks with one sync."""
    bus.session.log.append(
        [draft("task.opened", "ada", {"task": f"t{n}", "title": f"Task {n}"}) for n in range(tasks)]
    )
    bus.tasks(ready=True)


def in_a_program(ground: Ground) -> Row:
    sizes = ground.sizes
    bus = ground.bus("claims")
    each = max(2, sizes.sends // 4)
    opened(bus, each * (sizes.rounds + SPARE))
    number, key = count(), count()

    def ours() -> None:
        for _ in range(each):
            bus.claim(f"t{next(number)}", by="bob")

    def sends() -> None:
        for _ in range(each):
            bus.send("bob", BODY, key=f"k{next(key)}")

    taken = in_rounds(
        {"ours": lambda: timed(ours), "send": lambda: timed(sends)},
        rounds=sizes.rounds,
        seed=ground.seed,
        label="claims",
    )
    return Row(
        name="claim",
        what="claim of a task",
        against="send with a key",
        unit="x",
        found=ratios(taken["ours"], taken["send"]),
        target=1.3,
        at_least=False,
        rounds=sizes.rounds,
        ours=per_second(taken["ours"], each),
        limit=per_second(taken["send"], each),
    )


def as_a_command(ground: Ground) -> Row:
    compile_dir(Path(palaver_file).parent, quiet=1)
    palaver = str(Path(sys.executable).parent / "palaver")
    bus = ground.bus("claim-command")
    opened(bus, ground.sizes.starts + SPARE)
    number, key = count(), count()
    folder = Path(bus.root.path).parent
    samples: dict[str, Callable[[], float]] = {
        "ours": lambda: spawned([palaver, "task", "claim", f"t{next(number)}", "--as", "bob"], folder),
        "send": lambda: spawned([palaver, "send", "bob", "-m", BODY, "--key", f"k{next(key)}"], folder),
    }
    taken = in_rounds(samples, rounds=ground.sizes.starts, seed=ground.seed, label="claim commands")
    return Row(
        name="cli-claim",
        what="palaver task claim",
        against="palaver send --key",
        unit="x",
        found=ratios(taken["ours"], taken["send"]),
        target=1.3,
        at_least=False,
        rounds=ground.sizes.starts,
        ours=milliseconds(taken["ours"]),
        limit=milliseconds(taken["send"]),
    )
