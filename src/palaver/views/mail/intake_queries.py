"""Queries about mail for the intake of files: known ids, read marks, open questions, givers of tasks."""

from collections.abc import Collection, Iterator

from palaver.views.query import Query, marks

# SQLite limits the values of one query.
_VALUES_MOST = 500


def _select_each(db: Query, question: str, values: list[str]) -> Iterator[tuple[object, ...]]:
    """Yield the rows for many values, which replace the `{}` of a query."""
    for start in range(0, len(values), _VALUES_MOST):
        some = tuple(values[start : start + _VALUES_MOST])
        yield from db.execute(question.format(marks(len(some))), some)


def known(db: Query, ids: list[str]) -> set[str]:
    """Return the ids that messages have."""
    return {str(each) for (each,) in _select_each(db, "select id from message where id in ({})", ids)}


def read_marks(db: Query, ids: list[str]) -> dict[tuple[str, str], str]:
    """Return when each recipient has read each message: by its id, and by the address that was written."""
    found: dict[tuple[str, str], str] = {}
    rows = _select_each(
        db,
        "select m.id, a.id, d.via, d.read from message m join delivery d on d.message = m.seq "
        "join agent a on a.number = d.agent where d.read is not null and m.id in ({})",
        ids,
    )
    for message, agent, via, at in rows:
        found[str(message), str(agent)] = str(at)
        if via:
            found.setdefault((str(message), str(via).lstrip("@")), str(at))
    return found


def question(db: Query, to: str, senders: Collection[str], task: str) -> str:
    """Return the id of the oldest question that these agents asked another, or nothing.

    One about the same task comes first.
    """
    rows = db.execute(
        "select m.id from delivery d join message m on m.seq = d.message "
        "where d.agent = (select number from agent where id = ?) and d.open = 1 and d.priority >= 0 "
        f"and m.act = 'ask' and m.sender in ({marks(len(senders))}) order by m.task <> ?, d.message limit 1",
        (to, *senders, task),
    )
    return str(rows[0][0]) if rows else ""


def givers(db: Query, tasks: list[str]) -> dict[tuple[str, str], str]:
    """Return the agent that gave each of these tasks to each agent; the last one if there were several."""
    rows = _select_each(
        db,
        "select m.task, a.id, m.sender from message m join delivery d on d.message = m.seq "
        "join agent a on a.number = d.agent "
        "where m.task in ({}) and m.act in ('assign', 'handoff') order by m.seq",
        tasks,
    )
    return {(str(task), str(agent)): str(sender) for task, agent, sender in rows}
