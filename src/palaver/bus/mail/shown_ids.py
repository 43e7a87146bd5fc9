"""Ids under which files show messages whose own id is not of the form that the protocol of the file has.

Such an id is made of the time and of the event of a message, so it can be found again without an index of its
own.
"""

import re

from palaver.bus.session import Session
from palaver.model.message import Message, from_event
from palaver.views.mail import inbox

# How many of the newest events are searched for one that has not an id of ours.
_SHOWN = 20_000
_BUS_ID = re.compile(r"MSG-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.+-([a-z2-7]{12})")


def own_id(shown: str) -> str:
    """Return the id that a message has if a file shows it under this one and the bus gave it its id."""
    return f"msg-{shown.rpartition('-')[2]}"


def find(session: Session, shown: str) -> Message | None:
    """Return the message that a file shows under an id that was made for it there."""
    row = inbox.found(session.view, own_id(shown)) if shown.startswith("MSG-") else None
    event = session.said(row) if row else None
    return from_event(event) if event else _find_by_event(session, shown)


def _find_by_event(session: Session, shown: str) -> Message | None:
    """Return the message whose event the id was made of."""
    match = _BUS_ID.fullmatch(shown)
    if match is None:
        return None
    year, month, day, hour, minute, second, drawn = match.groups()
    for row in inbox.said_at(session.view, f"{year}-{month}-{day}T{hour}:{minute}:{second}", _SHOWN):
        event = session.said(row)
        if event is not None and event.event_id == f"evt-{drawn}":
            return from_event(event)
    return None
