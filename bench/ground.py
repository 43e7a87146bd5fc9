"""What benchmarks run on: a bus in its own folder, and sentences to send."""

import os
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench.progress import Progress
from palaver.api import Bus
from palaver.model.errors import TimedOut
from palaver.model.message import Message
from palaver.wiring import begin

# About one short paragraph: what agents say to each other most of the time.
BODY = (
    "The parser reads all five dialects now; two findings are left in the board of the second team, "
    "and I will look at them after the review is done."
)
BATCH = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much of everything: the whole thing, or just enough to see that it runs."""

    rounds: int
    sends: int
    window: float
    writers: int
    batches: int
    starts: int
    wakes: int
    messages: int
    few: int
    lines: int
    queries: int
    rebuilds: int
    agents: int
    items: int


FULL = Sizes(
    rounds=60, sends=60, window=0.4, writers=8, batches=40, starts=80, wakes=150,
    messages=1_000_000, few=10_000, lines=100_000, queries=200, rebuilds=2, agents=10_000,
    items=100_000,
)  # fmt: skip
QUICK = Sizes(
    rounds=4, sends=10, window=0.05, writers=8, batches=2, starts=2, wakes=3,
    messages=3_000, few=2_000, lines=2_000, queries=5, rebuilds=1, agents=50, items=300,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where to measure, how much, and the dice."""

    folder: Path
    sizes: Sizes
    seed: int

    def bus(self, name: str, agents: tuple[str, ...] = ("bob",)) -> Bus:
        """Return a new bus in a folder of its own, with ada and these agents."""
        folder = self.folder / name
        folder.mkdir()
        begin(str(folder), "ada")
        bus = Bus(str(folder), agent="ada")
        for agent in agents:
            bus.add_agent(agent)
            # Whoever has waited once has a bell, and every later send to it rings: the usual case.
            with suppress(TimedOut):
                bus.wait(agent=agent, timeout=0)
        return bus


def apart(folder: Path) -> None:
    """Keep git from finding the repository around the folder: a bus there would be noted in it."""
    os.environ["GIT_CEILING_DIRECTORIES"] = str(folder)


def last_record(bus: Bus) -> bytes:
    """Return the newest line of the log, with its newline."""
    newest = max(Path(bus.root.log).iterdir())
    return newest.read_bytes().splitlines(keepends=True)[-1]


def sentences(seed: int, count: int = 10_000) -> list[str]:
    """Return texts of about 150 characters, from 5,000 words of which few are frequent, as in a language."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvwz", k=chance.randint(2, 9))) for _ in range(5_000)]
    weights = [1 / (place + 3) for place in range(len(words))]
    return [" ".join(chance.choices(words, weights, k=25))[:150] for _ in range(count)]


def fill(bus: Bus, agents: Sequence[str], count: int, *, seed: int, label: str = "") -> dict[str, list[str]]:
    """Send so many messages between the agents, a thousand with one sync; return their ids by recipient."""
    sent: dict[str, list[str]] = {agent: [] for agent in agents}
    progress = Progress(label, count)
    for batch in _batches(agents, count, seed):
        for each in bus.send_many(batch):
            sent[each.message.to[0]].append(each.message.id)
        progress.step(len(batch))
    progress.close()
    return sent


def _batches(agents: Sequence[str], count: int, seed: int) -> Iterator[list[Message]]:
    chance = random.Random(seed)
    texts = sentences(seed)
    priorities = ("urgent", "normal", "normal", "normal", "normal", "low")
    for start in range(0, count, BATCH):
        yield [
            Message(
                sender=chance.choice(agents),
                to=[chance.choice(agents)],
                body=chance.choice(texts),
                priority=chance.choice(priorities),
            )
            for _ in range(min(BATCH, count - start))
        ]
