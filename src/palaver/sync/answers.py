"""What a line means that does not say so: which question it answers, and whose task it is about."""

import re
from collections.abc import Collection
from typing import Final

from palaver.bus.core import Core
from palaver.model.message import Message, from_event
from palaver.views import inbox
from palaver.views.asked import Asked

# How far back an answer to a message with an id of another protocol is looked for.
_SHOWN: Final = 20_000
_BUS_ID: Final = re.compile(r"MSG-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.+-([a-z2-7]{12})")


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


def shown_as(core: Core, db: Asked, bus_id: str) -> Message | None:
    """Return the message with an id of another protocol that stands in a bus file under this id.

    The id there is made of the time and of the event, so it can be found again without an index of its own.
    """
    match = _BUS_ID.fullmatch(bus_id)
    if match is None:
        return None
    year, month, day, hour, minute, second, drawn = match.groups()
    for row in inbox.said_at(db, f"{year}-{month}-{day}T{hour}:{minute}:{second}", _SHOWN):
        event = core.said(row)
        if event is not None and event.event_id == f"evt-{drawn}":
            return from_event(event)
    return None
