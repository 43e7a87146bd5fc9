"""How long things take: waits and how they spread, the time of tasks in each state, what is done again."""

from collections import Counter, defaultdict
from datetime import datetime

from palaver.model.task import ENDED, STATES

# Upper ends of the columns of a wait, in seconds, with their words; the last one is open.
WAITS = (
    (1, "< 1 s"), (10, "10 s"), (60, "1 min"), (600, "10 min"), (3_600, "1 h"), (86_400, "1 day"),
    (float("inf"), "more"),
)  # fmt: skip

_NAMES = 8


def figures(
    moves: list[tuple[str, str, str, str, str, str]], nudged: list[tuple[str, int]]
) -> dict[str, object]:
    """Return how long tasks were in each state, how long claims waited, and what was done again."""
    times: dict[str, list[float]] = {state: [] for state in STATES if state not in ENDED}
    approvals: list[tuple[str, float]] = []
    reworks: Counter[str] = Counter()
    before = ("", "", "")
    holder: dict[str, str] = {}
    for task, at, who, act, _, after in moves:
        known, since, state = before
        wait = waited(since, at) if known == task else None
        if wait is not None and state in times and after != state:
            times[state].append(wait)
            if state == "claimed" and act == "approve":
                approvals.append((holder.get(task, who), wait))
        if act in ("claim", "ack", "deliver"):
            holder[task] = who
        if after == "rework":
            reworks[holder.get(task, "")] += 1
        if known != task or after != state:
            before = (task, at, after)
    counted = Counter(dict(nudged))
    names = [name for name, _ in (reworks + counted).most_common(_NAMES) if name]
    return {
        "in_state": [
            {"state": state, "count": len(own), "median": _at(sorted(own), 0.5), "p90": _at(sorted(own), 0.9)}
            for state, own in times.items()
        ],
        "claim_to_approval": spread(approvals),
        "again": [{"agent": name, "reworks": reworks[name], "nudges": counted[name]} for name in names],
    }


def instant(text: str) -> datetime | None:
    """Return a time, None if the text is none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def waited(start: str, end: str) -> float | None:
    """Return the seconds between two times, None if one of them is none."""
    first, last = instant(start), instant(end)
    if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
        return None
    return max(0.0, (last - first).total_seconds())


def spread(waits: list[tuple[str, float]]) -> dict[str, object]:
    """Return how waits are spread: counts by length, the middle, nine tenths, each agent's middle."""
    counts = [0] * len(WAITS)
    of: dict[str, list[float]] = defaultdict(list)
    for agent, wait in waits:
        counts[next(place for place, (end, _) in enumerate(WAITS) if wait < end)] += 1
        of[agent].append(wait)
    lengths = sorted(wait for _, wait in waits)
    return {
        "count": len(lengths),
        "counts": counts,
        "median": _at(lengths, 0.5),
        "p90": _at(lengths, 0.9),
        "agents": sorted(
            (
                {"agent": agent, "count": len(own), "median": _at(sorted(own), 0.5)}
                for agent, own in of.items()
            ),
            key=lambda told: str(told["agent"]),
        ),
    }


def _at(lengths: list[float], share: float) -> float | None:
    return lengths[min(len(lengths) - 1, int(len(lengths) * share))] if lengths else None
