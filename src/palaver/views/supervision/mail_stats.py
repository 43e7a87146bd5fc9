"""Figures of the newest messages: how much each agent sent, and how long answers took. Only queries."""

from palaver.views.query import Query

# How many messages: a query must not take longer as the log grows.
NEWEST = 20_000


def spoken(db: Query) -> list[tuple[str, str, str, int]]:
    """Return (minute, sender, act, how many), oldest first."""
    return db.execute(
        "select substr(at, 1, 16), sender, act, count(*) from "
        "(select at, sender, act from message order by seq desc limit ?) group by 1, 2, 3 order by 1",
        (NEWEST,),
    )


def moves(db: Query) -> list[tuple[str, str, str, str, str, str]]:
    """Return (task, at, actor, act, before, after) of the newest moves that counted, oldest first."""
    return db.execute(
        "select task, at, actor, act, before, after from "
        "(select * from task_move where why = '' order by seq desc limit ?) order by task, seq",
        (NEWEST,),
    )


def nudges(db: Query) -> list[tuple[str, int]]:
    """Return how often each agent was nudged among the newest messages."""
    return db.execute(
        "select a.id, count(*) from (select seq, act from message order by seq desc limit ?) m "
        "join delivery d on d.message = m.seq join agent a on a.number = d.agent "
        "where m.act = 'nudge' group by a.id order by 2 desc, 1",
        (NEWEST,),
    )


def stages(db: Query) -> list[tuple[str, str, str, str]]:
    """Return (recipient, sent, read, answered) of every delivery that was read; answered may be empty."""
    return db.execute(
        "select a.id, m.at, d.read, coalesce(d.answered, '') from "
        "(select seq, at from message order by seq desc limit ?) m "
        "join delivery d on d.message = m.seq join agent a on a.number = d.agent where d.read is not null",
        (NEWEST,),
    )
