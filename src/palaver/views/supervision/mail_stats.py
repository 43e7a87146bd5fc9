"""Figures of the newest messages: who said how much of what, and how long answers took. Questions only."""

from palaver.views.query import Query, whole

# The newest so many messages: a question must not take longer as the log grows old.
NEWEST = 20_000


def spoken(db: Query) -> list[tuple[str, str, str, int]]:
    """Return (minute, sender, act, how many), oldest first."""
    rows = db.execute(
        "select substr(at, 1, 16), sender, act, count(*) from "
        "(select at, sender, act from message order by seq desc limit ?) group by 1, 2, 3 order by 1",
        (NEWEST,),
    )
    return [(str(minute), str(sender), str(act), whole(count)) for minute, sender, act, count in rows]


def moves(db: Query) -> list[tuple[str, str, str, str, str, str]]:
    """Return (task, at, actor, act, before, after) of the newest moves that counted, oldest first."""
    rows = db.execute(
        "select task, at, actor, act, before, after from "
        "(select * from task_move where why = '' order by seq desc limit ?) order by task, seq",
        (NEWEST,),
    )
    return [(str(t), str(at), str(who), str(act), str(b), str(a)) for t, at, who, act, b, a in rows]


def nudges(db: Query) -> list[tuple[str, int]]:
    """Return who was nudged how often among the newest messages."""
    rows = db.execute(
        "select a.id, count(*) from (select seq, act from message order by seq desc limit ?) m "
        "join delivery d on d.message = m.seq join agent a on a.number = d.agent "
        "where m.act = 'nudge' group by a.id order by 2 desc, 1",
        (NEWEST,),
    )
    return [(str(agent), whole(count)) for agent, count in rows]


def stages(db: Query) -> list[tuple[str, str, str, str]]:
    """Return (recipient, sent, read, answered) of every delivery that was read; answered may be empty."""
    rows = db.execute(
        "select a.id, m.at, d.read, d.answered from "
        "(select seq, at from message order by seq desc limit ?) m "
        "join delivery d on d.message = m.seq join agent a on a.number = d.agent where d.read is not null",
        (NEWEST,),
    )
    return [(str(agent), str(at), str(read), str(answered or "")) for agent, at, read, answered in rows]
