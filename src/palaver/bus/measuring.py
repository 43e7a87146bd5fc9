"""What the newest messages amount to: how much was said, and how long reading and answering took."""

from collections import Counter
from datetime import timedelta

from palaver.bus import pace
from palaver.bus.pace import WAITS, instant, spread, waited
from palaver.bus.session import Session
from palaver.views.agents.input_volume import given
from palaver.views.supervision import insights

# How fine a picture over time may be: minutes of a column, the finest that gives at most so many columns.
_STEPS = (1, 5, 15, 60, 180, 720, 1_440, 10_080)
_COLUMNS = 48
# Names in a chart; the others are one.
_NAMES = 7
REST = "others"


def insight(core: Session) -> dict[str, object]:
    """Return figures of the newest messages: over time by agent and by act, and the two waits."""
    db = core.view.current()
    with core.view.held():
        spoken = insights.spoken(db)
        stages = insights.stages(db)
        moves, nudged, texts = insights.moves(db), insights.nudges(db), given(db)
    labels, place = _columns([minute for minute, _, _, _ in spoken])
    total = sum(count for _, _, _, count in spoken)
    read = [(agent, wait) for agent, sent, at, _ in stages if (wait := waited(sent, at)) is not None]
    answered = [
        (agent, wait) for agent, _, at, done in stages if done and (wait := waited(at, done)) is not None
    ]
    return {
        "messages": total,
        "newest_only": total >= insights.NEWEST,
        "columns": labels,
        "by_agent": _series([(minute, agent, count) for minute, agent, _, count in spoken], labels, place),
        "by_act": _series([(minute, act, count) for minute, _, act, count in spoken], labels, place),
        "waits": [words for _, words in WAITS],
        "sent_to_read": spread(read),
        "read_to_answered": spread(answered),
        **pace.figures(moves, nudged),
        "given": _given(texts),
    }


def _given(rows: list[tuple[str, str, int, int]]) -> dict[str, object]:
    """Return how many characters were given to whom, as mail and as prompts; the most first."""
    found: dict[str, dict[str, int]] = {}
    for agent, kind, _, chars in rows:
        found.setdefault(agent, {"mail": 0, "prompt": 0})[kind] = chars
    most = sorted(found, key=lambda agent: (-sum(found[agent].values()), agent))
    return {
        "chars": sum(chars for _, _, _, chars in rows),
        "times": sum(times for _, _, times, _ in rows),
        "agents": [{"agent": agent, **found[agent]} for agent in most[:_NAMES]],
    }


def _columns(minutes: list[str]) -> tuple[list[str], dict[str, int]]:
    """Return the start of each column of time, and in which column a minute stands."""
    known = {minute: at for minute in set(minutes) if (at := instant(minute)) is not None}
    if not known:
        return [], {}
    first, last = min(known.values()), max(known.values())
    span = (last - first).total_seconds() / 60
    step = next((step for step in _STEPS if span / step < _COLUMNS), _STEPS[-1])
    # Columns start on the clock: at full hours, at midnight.
    midnight = first.replace(hour=0, minute=0)
    start = midnight + timedelta(minutes=int((first - midnight).total_seconds() / 60 // step) * step)
    count = min(_COLUMNS, int((last - start).total_seconds() / 60 // step) + 1)
    # Whatever is older than the picture stands in its first column.
    start = max(start, last - timedelta(minutes=step * (count - 1)))
    labels = [(start + timedelta(minutes=step * column)).isoformat() for column in range(count)]
    place = {
        minute: min(count - 1, max(0, int((at - start).total_seconds() / 60 // step)))
        for minute, at in known.items()
    }
    return labels, place


def _series(
    rows: list[tuple[str, str, int]], labels: list[str], place: dict[str, int]
) -> list[dict[str, object]]:
    """Return one row of figures a name, the most frequent names first, the rest together."""
    totals: Counter[str] = Counter()
    for _, name, count in rows:
        totals[name] += count
    names = [name for name, _ in totals.most_common(_NAMES)]
    figures: dict[str, list[int]] = {name: [0] * len(labels) for name in names}
    for minute, name, count in rows:
        if minute in place:
            row = figures.setdefault(name if name in names else REST, [0] * len(labels))
            row[place[minute]] += count
    return [{"name": name, "total": sum(row), "counts": row} for name, row in figures.items()]
