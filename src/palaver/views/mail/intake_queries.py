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


def questions(db: Query, asked: str, askers: Collection[str]) -> list[tuple[str, str]]:
    """Return the ids and tasks of the open questions of these agents to another, oldest first."""
    rows = db.execute(
        f"select id, task from question where asked = ? and kind = 'ask' and asker in ({marks(len(askers))}) "
        "order by seq",
        (asked, *askers),
    )
    return [(str(name), str(task)) for name, task in rows]


def asked(db: Query) -> set[str]:
    """Return the agents that were asked something and have not answered."""
    return {str(agent) for (agent,) in db.execute("select distinct asked from question where kind = 'ask'")}


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
