"""Statistics of tasks: the time in each state, the wait for approval, and what had to be done again."""

from collections import Counter

from palaver.bus.stats.spread import percentile, summarize
from palaver.log.clock import age
from palaver.model.task import ENDED, STATES

_AGENTS_MOST = 8


def task_stats(
    moves: list[tuple[str, str, str, str, str, str]], nudged: list[tuple[str, int]]
) -> dict[str, object]:
    """Return how long tasks were in each state, how long claims waited, and what was done again."""
    times: dict[str, list[float]] = {state: [] for state in STATES if state not in ENDED}
    approvals: list[tuple[str, float]] = []
    reworks: Counter[str] = Counter()
    holders: dict[str, str] = {}
    current, since, state = "", "", ""
    for task, at, actor, act, _, after in moves:
        if task == current and state in times and after != state:
            times[state].append(age(since, at))
            if state == "claimed" and act == "approve":
                approvals.append((holders.get(task, actor), age(since, at)))
        if act in ("claim", "ack", "deliver"):
            holders[task] = actor
        if after == "rework":
            reworks[holders.get(task, "")] += 1
        if task != current or after != state:
            current, since, state = task, at, after
    nudges = Counter(dict(nudged))
    agents = [name for name, _ in (reworks + nudges).most_common(_AGENTS_MOST) if name]
    return {
        "in_state": [
            {"state": name, "count": len(own), "median": percentile(own, 50), "p90": percentile(own, 90)}
            for name, own in times.items()
        ],
        "claim_to_approval": summarize(approvals),
        "again": [{"agent": name, "reworks": reworks[name], "nudges": nudges[name]} for name in agents],
    }
