"""What a line means that does not say so: which question it answers, and whose task it is about."""

from collections.abc import Collection

from palaver.model.message import Message
from palaver.views.asked import Asked


def question(db: Asked, message: Message, senders: Collection[str]) -> str:
    """Return the id of the oldest question that these agents asked the sender of a message, or nothing.

    One about the same task comes first.
    """
    marks = ", ".join("?" * len(senders))
    rows = db.execute(
        "select m.id from delivery d join message m on m.seq = d.message "
        "where d.agent = (select number from agent where id = ?) and d.open = 1 and d.priority >= 0 "
        f"and m.act = 'ask' and m.sender in ({marks}) order by m.task <> ?, d.message limit 1",
        (message.sender, *senders, message.task),
    )
    return str(rows[0][0]) if rows else ""


def giver(db: Asked, message: Message) -> str:
    """Return who gave its sender the task that a message is about, or nothing; the last one who did."""
    rows = db.execute(
        "select m.sender from message m join delivery d on d.message = m.seq "
        "where m.task = ? and m.task <> '' and m.act in ('assign', 'handoff') "
        "and d.agent = (select number from agent where id = ?) order by m.seq desc limit 1",
        (message.task, message.sender),
    )
    return str(rows[0][0]) if rows else ""
