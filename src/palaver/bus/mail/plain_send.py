"""The event of a message, and the short path of plain messages.

A plain message, from a known agent to known addresses, goes straight into the log: no view is opened, and
nothing is folded. Every other message takes the full path (`send.py`).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.bus.mail.message_check import SendResult
from palaver.bus.writer import Writer
from palaver.log.clock import letters, now
from palaver.model.event import Draft
from palaver.model.message import Message


def mail_sent(message: Message, *, key: str = "", caused_by: str = "") -> Draft:
    """Return the event of a message, with a new id if it has none yet."""
    message = stamp(message)
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


def stamp(message: Message, drawn: str = "", at: str = "") -> Message:
    """Return a message with ids and a time, unless it has them; by default they are generated."""
    if message.id:
        return message
    drawn = drawn or letters()
    message_id = f"msg-{drawn}"
    thread = message.thread or message_id
    return message.replace(id=message_id, event_id=f"evt-{drawn}", at=at or now(), thread=thread)


def is_weighty(message: Message) -> bool:
    """Return True if a message needs the full path: it is a reply, moves a task, or uses a restricted act."""
    moves = message.task and message.act != "inform"
    return bool(message.reply_to or moves or message.act in ("leave", "autonomy", "shutdown"))


def send_plain(writer: Writer, message: Message) -> SendResult | None:
    """Append a checked message if it is plain and all its names are known; else return None."""
    known = writer.roster_cache()
    if is_weighty(message) or not known.speaks(message.sender):
        return None
    for written in message.to:
        if not known.means(written):
            return None
    message = stamp(message)
    stored = writer.log.append([mail_sent(message)])[0]
    writer.wakeups.ring(message.to)
    return SendResult(message.replace(seq=stored.seq), fresh=True, unknown=[])
