"""Saying something: the event of a message, and the short way for the plain ones.

A plain message, from a known agent to known addresses, goes straight into the log: no view is
opened, nothing is folded. Everything else takes the long way (`posting.py`).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.bus.mail.message_check import SendResult
from palaver.bus.writer import Writer
from palaver.log.stamp import letters, now
from palaver.model.event import Draft
from palaver.model.message import Message


def mail_sent(message: Message, *, key: str = "", caused_by: str = "") -> Draft:
    """Return the event of a message; give it an id if it has none yet."""
    if not message.id:
        stamp(message, letters(), now())
    thread = message.thread
    message.thread = thread or message.id
    return Draft(
        "mail.sent",
        actor=message.sender,
        data=message.fields(),
        event_id=message.event_id,
        timestamp=message.at,
        auth=message.auth,
        key=key,
        correlation_id=thread,
        caused_by=caused_by,
    )


def stamp(message: Message, drawn: str, at: str) -> None:
    """Give a message its ids, from twelve letters, and its time."""
    message.id = f"msg-{drawn}"
    message.event_id = f"evt-{drawn}"
    message.at = at


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
    if not message.id:
        stamp(message, letters(), now())
    message.seq = desk.log.append([mail_sent(message)])[0].seq
    desk.wakeups.ring(message.to)
    return SendResult(message, fresh=True, unknown=[])
