"""What a line means that does not say so: which question it answers, and whose task it is about.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.bus.session import Session
from palaver.model.message import Message, from_event
from palaver.views.mail import inbox
from palaver.views.query import Query

# How far back an answer to a message with an id of another protocol is looked for.
_SHOWN = 20_000
_BUS_ID = r"MSG-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.+-([a-z2-7]{12})"


def shown_as(core: Session, db: Query, bus_id: str) -> Message | None:
    """Return the message with an id of another protocol that stands in a bus file under this id.

    The id there is made of the time and of the event, so it can be found again without an index of its own.
    """
    # Only a bus file has such ids.
    from re import fullmatch

    match = fullmatch(_BUS_ID, bus_id)
    if match is None:
        return None
    year, month, day, hour, minute, second, drawn = match.groups()
    for row in inbox.said_at(db, f"{year}-{month}-{day}T{hour}:{minute}:{second}", _SHOWN):
        event = core.said(row)
        if event is not None and event.event_id == f"evt-{drawn}":
            return from_event(event)
    return None
