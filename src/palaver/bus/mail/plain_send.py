"""Saying something: the event of a message, and the short way for the plain ones.

A plain message, from a known agent to known addresses, goes straight into the log: no view is
opened, nothing is folded. Everything else takes the long way (`posting.py`).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.bus.mail.message_check import SendResult
from palaver.bus.writer import Writer
from palaver.log.clock import letters, now
from palaver.model.event import Draft
from palaver.model.message import Message


def mail_sent(message: Message, *, key: str = "", caused_by: str = "") -> Draft:
    """Return the event of a message, with a new id if it has none yet."""
    message = message if message.id else stamp(message, letters(), now())
    return Draft(
        "mail.sent",
        actor=message.sender,
        data=message.fields(),
        event_id=message.event_id,
        timestamp=message.at,
        auth=message.auth,
        key=key,
        correlation_id="" if message.thread == message.id else message.thread,
        caused_by=caused_by,
    )


def stamp(message: Message, drawn: str, at: str) -> Message:
    """Return a message with ids, from twelve letters, and a time."""
    message_id = f"msg-{drawn}"
    thread = message.thread or message_id
    return message.replace(id=message_id, event_id=f"evt-{drawn}", at=at, thread=thread)


def is_weighty(message: Message) -> bool:
    """Tell whether a message must be looked at: it replies, moves a task, or is not everybody's to say."""
    moves = message.task and message.act != "inform"
    return bool(message.reply_to or moves or message.act in ("leave", "autonomy"))


def send_plain(desk: Writer, message: Message) -> SendResult | None:
    """Store a checked message, if it is plain and all its names are known; else do nothing."""
    known = desk.roster_cache()
    if is_weighty(message) or not known.speaks(message.sender):
        return None
    for written in message.to:
        if not known.means(written):
            return None
    message = message if message.id else stamp(message, letters(), now())
    stored = desk.log.append([mail_sent(message)])[0]
    desk.wakeups.ring(message.to)
    return SendResult(message.replace(seq=stored.seq), fresh=True, unknown=[])
