"""Statistics of the newest messages and of tasks: counts, and the time until they are read or done."""

from collections import Counter
from datetime import datetime, timedelta

from palaver.bus.operations.operation import inspects, operation
from palaver.bus.session import Session
from palaver.bus.stats.spread import BINS, percentile, summarize
from palaver.log.clock import age
from palaver.model.task import NOT_ENDED
from palaver.views.agents.input_volume import given
from palaver.views.supervision import mail_stats as view

# The widths of a column over time, in minutes: the first that gives at most so many columns is used.
_STEPS = (1, 5, 15, 60, 180, 720, 1_440, 10_080)
_COLUMNS_MOST = 48
# Names in a chart; the rest is one.
_NAMES_MOST = 7
_AGENTS_MOST = 8
_REST = "others"


@operation(inspects)
def insights(core: Session) -> dict[str, object]:
    """Return statistics of the newest messages."""
    db = core.view.current()
    with core.view.held():
        spoken = view.spoken(db)
        stages = view.stages(db)
        moves, nudged, texts = view.moves(db), view.nudges(db), given(db)
    labels, place = _columns([minute for minute, _, _, _ in spoken])
    total = sum(count for _, _, _, count in spoken)
    read = [(agent, age(sent, at)) for agent, sent, at, _ in stages]
    answered = [(agent, age(at, done)) for agent, _, at, done in stages if done]
    return {
        "messages": total,
        "newest_only": total >= view.NEWEST,
        "columns": labels,
        "by_agent": _series([(minute, agent, count) for minute, agent, _, count in spoken], labels, place),
        "by_act": _series([(minute, act, count) for minute, _, act, count in spoken], labels, place),
        "waits": [label for _, label in BINS],
        "sent_to_read": summarize(read),
        "read_to_answered": summarize(answered),
        **_task_stats(moves, nudged),
        "given": _given(texts),
    }


def _given(rows: list[tuple[str, str, int, int]]) -> dict[str, object]:
    """Return how many characters each agent was given as mail and as prompts; the most first."""
    found: dict[str, dict[str, int]] = {}
    for agent, kind, _, chars in rows:
        found.setdefault(agent, {"mail": 0, "prompt": 0})[kind] = chars
    most = sorted(found, key=lambda agent: (-sum(found[agent].values()), agent))
    return {
        "chars": sum(chars for _, _, _, chars in rows),
        "times": sum(times for _, _, times, _ in rows),
        "agents": [{"agent": agent, **found[agent]} for agent in most[:_NAMES_MOST]],
    }


def _columns(minutes: list[str]) -> tuple[list[str], dict[str, int]]:
    """Return the start of each column, and the column of each minute."""
    known = {minute: at for minute in set(minutes) if (at := _instant(minute)) is not None}
    if not known:
        return [], {}
    first, last = min(known.values()), max(known.values())
    span = (last - first).total_seconds() / 60
    step = next((step for step in _STEPS if span / step < _COLUMNS_MOST), _STEPS[-1])
    # Columns start at full hours, or at midnight.
    midnight = first.replace(hour=0, minute=0)
    start = midnight + timedelta(minutes=int((first - midnight).total_seconds() / 60 // step) * step)
    count = min(_COLUMNS_MOST, int((last - start).total_seconds() / 60 // step) + 1)
    # Older messages count in the first column.
    start = max(start, last - timedelta(minutes=step * (count - 1)))
    labels = [(start + timedelta(minutes=step * column)).isoformat() for column in range(count)]
    place = {
        minute: min(count - 1, max(0, int((at - start).total_seconds() / 60 // step)))
        for minute, at in known.items()
    }
    return labels, place


def _instant(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _series(
    rows: list[tuple[str, str, int]], labels: list[str], place: dict[str, int]
) -> list[dict[str, object]]:
    """Return the counts of each name, the most frequent first, the rest together."""
    totals: Counter[str] = Counter()
    for _, name, count in rows:
        totals[name] += count
    names = [name for name, _ in totals.most_common(_NAMES_MOST)]
    figures: dict[str, list[int]] = {name: [0] * len(labels) for name in names}
    for minute, name, count in rows:
        if minute in place:
            row = figures.setdefault(name if name in names else _REST, [0] * len(labels))
            row[place[minute]] += count
    return [{"name": name, "total": sum(row), "counts": row} for name, row in figures.items()]


def _task_stats(
    moves: list[tuple[str, str, str, str, str, str]], nudged: list[tuple[str, int]]
) -> dict[str, object]:
    """Return how long tasks were in each state, how long claims waited, and what was done again."""
    times: dict[str, list[float]] = {state: [] for state in NOT_ENDED}
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
