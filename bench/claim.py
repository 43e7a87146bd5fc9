"""Claim: the cost of a claim compared with a send, in one program.

A claim is judged, stored, synced and read back, so that its caller knows whose the task is. The send that
does as much is one with a key; a plain send looks at nothing.
"""

from itertools import count

from bench.ground import BODY, Ground
from bench.measure import Row, in_rounds, per_second, ratios, timed
from palaver.api import Bus
from palaver.bus.writer import draft

# Rounds to warm up.
SPARE = 10


def measure(ground: Ground) -> list[Row]:
    """Return the row of claims."""
    return [in_a_program(ground)]


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
