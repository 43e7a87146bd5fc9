"""Measuring: variants in shuffled rounds, and the median of the ratios of each round.

A machine is never quiet. Both sides of a ratio are therefore measured within milliseconds of each other,
in a new order every round, and a round gives one ratio; a slow minute then slows both sides of it.
"""

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.progress import Progress

# One sample: runs the work and returns the seconds that it took, or whatever else is compared.
Sample = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle of a series, and where its middle half lies."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    #: What `--only` takes.
    name: str
    #: What is measured, and what it is held against.
    what: str
    against: str
    #: `x` is a ratio; `ms` and `MB` are absolute.
    unit: str
    found: Spread
    target: float
    #: Whether the value should be at least the target; else at most.
    at_least: bool
    rounds: int
    #: Both sides in their own unit, for people.
    ours: str
    limit: str

    @property
    def met(self) -> bool:
        return self.found.median >= self.target if self.at_least else self.found.median <= self.target

    def plain(self) -> dict[str, object]:
        """Return what a program wants to know."""
        return {
            "name": self.name,
            "what": self.what,
            "against": self.against,
            "unit": self.unit,
            "value": self.found.median,
            "low": self.found.low,
            "high": self.found.high,
            "target": self.target,
            "at_least": self.at_least,
            "met": self.met,
            "rounds": self.rounds,
            "ours": self.ours,
            "limit": self.limit,
        }


def spread(values: Sequence[float]) -> Spread:
    if len(values) == 1:
        return Spread(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, low, high)


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that the work took; garbage that others left is collected before."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_rounds(
    samples: Mapping[str, Sample], *, rounds: int, seed: int, label: str = ""
) -> dict[str, list[float]]:
    """Take one sample of every variant in each round, in a new order; the first round is warm-up."""
    chance = random.Random(seed)
    taken: dict[str, list[float]] = {name: [] for name in samples}
    order = list(samples)
    progress = Progress(label, rounds + 1)
    for turn in range(rounds + 1):
        chance.shuffle(order)
        for name in order:
            value = samples[name]()
            if turn:
                taken[name].append(value)
        progress.step()
    progress.close()
    return taken


def ratios(over: Sequence[float], under: Sequence[float]) -> Spread:
    """Return the ratio of two series, round by round."""
    return spread([top / bottom for top, bottom in zip(over, under, strict=True)])


def per_second(seconds: Sequence[float], count: int) -> str:
    return f"{count / statistics.median(seconds):,.0f}/s"


def milliseconds(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.2f} ms"
