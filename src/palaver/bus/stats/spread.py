"""How durations are distributed: percentiles, and a histogram."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

#: The bins of a histogram: the upper end of each in seconds, and its label; the last one is open.
BINS: Final = (
    (1, "< 1 s"), (10, "10 s"), (60, "1 min"), (600, "10 min"), (3_600, "1 h"), (86_400, "1 day"),
    (float("inf"), "more"),
)  # fmt: skip


def percentile(values: Sequence[float], percent: int) -> float | None:
    """Return a percentile of some values by the nearest rank; None if there are none."""
    rank = -(-len(values) * percent // 100)
    return sorted(values)[max(0, rank - 1)] if values else None


def summarize(durations: list[tuple[str, float]]) -> dict[str, object]:
    """Return the histogram, p50 and p90 of durations, and the p50 of each agent."""
    counts = [0] * len(BINS)
    by_agent: dict[str, list[float]] = defaultdict(list)
    for agent, seconds in durations:
        counts[next(place for place, (end, _) in enumerate(BINS) if seconds < end)] += 1
        by_agent[agent].append(seconds)
    values = [seconds for _, seconds in durations]
    return {
        "count": len(values),
        "counts": counts,
        "median": percentile(values, 50),
        "p90": percentile(values, 90),
        "agents": [
            {"agent": agent, "count": len(own), "median": percentile(own, 50)}
            for agent, own in sorted(by_agent.items())
        ],
    }
