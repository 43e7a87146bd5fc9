"""Questions about mail that those ask who read files: what is known, what was read, who asked whom."""

from collections.abc import Collection

from palaver.views.query import Query

_ASKED_AT_ONCE = 500


def known(db: Query, ids: list[str]) -> set[str]:
    """Return those of many ids that messages have."""
    found: set[str] = set()
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        some = ids[start : start + _ASKED_AT_ONCE]
        marks = ", ".join("?" * len(some))
        found.update(
            str(each) for (each,) in db.execute(f"select id from message where id in ({marks})", tuple(some))
        )
    return found


def marks(db: Query, ids: list[str]) -> dict[tuple[str, str], str]:
    """Return when each reader has read each of the messages: by his id, and by the name that was written."""
    found: dict[tuple[str, str], str] = {}
    for start in range(0, len(ids), _ASKED_AT_ONCE):
        some = ids[start : start + _ASKED_AT_ONCE]
        places = ", ".join("?" * len(some))
        rows = db.execute(
            "select m.id, a.id, d.via, d.read from message m join delivery d on d.message = m.seq "
            f"join agent a on a.number = d.agent where d.read is not null and m.id in ({places})",
            tuple(some),
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
    marks = ", ".join("?" * len(senders))
    rows = db.execute(
        "select m.id from delivery d join message m on m.seq = d.message "
        "where d.agent = (select number from agent where id = ?) and d.open = 1 and d.priority >= 0 "
        f"and m.act = 'ask' and m.sender in ({marks}) order by m.task <> ?, d.message limit 1",
        (to, *senders, task),
    )
    return str(rows[0][0]) if rows else ""


def givers(db: Query, tasks: list[str]) -> dict[tuple[str, str], str]:
    """Return who gave each of these tasks to whom; the last one who did."""
    found: dict[tuple[str, str], str] = {}
    for start in range(0, len(tasks), _ASKED_AT_ONCE):
        some = tasks[start : start + _ASKED_AT_ONCE]
        marks = ", ".join("?" * len(some))
        rows = db.execute(
            "select m.task, a.id, m.sender from message m join delivery d on d.message = m.seq "
            "join agent a on a.number = d.agent "
            f"where m.task in ({marks}) and m.act in ('assign', 'handoff') order by m.seq",
            tuple(some),
        )
        found.update({(str(task), str(agent)): str(sender) for task, agent, sender in rows})
    return found
