"""Many processes that claim the same tasks at once: who won which."""

from palaver import Bus
from tests.bus.scene import race

CLAIMERS = 8
# Each goes through all tasks in an order of its own, and counts what it was told.
_CLAIM = """
import random
count, seed = int(words[0]), words[1]
order = [f"t{number}" for number in range(count)]
random.Random(seed + sys.argv[2]).shuffle(order)
won, told = [], {}
for task in order:
    try:
        moved = bus.claim(task)
    except Refusal as refused:
        assert refused.code == "task-taken", str(refused)
        told[task] = refused.why.split()[0]
        continue
    if moved.effect:
        won.append(task)
    told[task] = moved.card.task.holder
say([won, told])
"""


def campaign(bus: Bus, count: int, seed: int) -> None:
    """Let eight processes claim all of the tasks; one has each, and all were told who."""
    agents = [f"w{number}" for number in range(CLAIMERS)]
    for agent in agents:
        bus.add_agent(agent)
    for number in range(count):
        bus.open_task(f"Task {number}", task=f"t{number}")

    said = race(bus, agents, _CLAIM, str(count), str(seed))

    holders = {card.task.id: card.task.holder for card in bus.tasks()}
    winners: dict[str, list[str]] = {}
    for agent, answer in zip(agents, said, strict=True):
        assert isinstance(answer, list)
        won, told = answer
        for task in won:
            winners.setdefault(task, []).append(agent)
        assert told == holders, (seed, agent)
    assert winners == {task: [holder] for task, holder in holders.items()}, seed
    assert len(winners) == count, seed
