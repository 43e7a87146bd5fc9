"""Saying something: what every message must fulfil, and the short way for the plain ones.

A plain message, from a known agent to known addresses, goes straight into the log: no view is
opened, nothing is folded. Everything else takes the long way (`posting.py`).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.bus.desk import Desk
from palaver.log.record import body
from palaver.log.stamp import letters, now
from palaver.model import secrets
from palaver.model.errors import BadArguments, BadText, EmptyBody, SecretFound, TooLarge
from palaver.model.event import Draft
from palaver.model.limits import DEPTH, FILES, META_CHARS, META_FIELDS, RECIPIENTS, SUBJECT_CHARS
from palaver.model.message import ACTS, PRIORITIES, WORDLESS, Message
from palaver.model.names import address
from palaver.model.plain import quote


class Sent:
    """What became of a message that was sent."""

    __slots__ = ("fresh", "message", "unknown")

    def __init__(self, message: Message, *, fresh: bool, unknown: list[tuple[str, str, list[str]]]) -> None:
        """Take the message, whether it is new in the log, and the addresses that meant nobody.

        Each of those comes with the reason and the nearest names.
        """
        self.message = message
        self.fresh = fresh
        self.unknown = unknown

    def plain(self) -> dict[str, object]:
        """Return what a program wants to know."""
        message = self.message
        return {
            "id": message.id,
            "seq": message.seq,
            "event_id": message.event_id,
            "at": message.at,
            "from": message.sender,
            "to": message.to,
            "thread": message.thread,
            "duplicate": not self.fresh,
            "undeliverable": [
                {"address": written, "why": why, "nearest": nearest} for written, why, nearest in self.unknown
            ],
        }


def _levels(message: Message) -> bool:
    """Tell whether it sets an agent's autonomy, and says to what: that is enough."""
    return message.act == "autonomy" and "level" in message.meta


def check(message: Message, *, allow_secret: bool = False, allow_empty: bool = False) -> None:
    """Refuse what no log should hold; put addresses into their canonical form."""
    to = message.to
    if not 0 < len(to) <= RECIPIENTS:
        raise _addressed(to)
    message.to = [address(written) for written in to]
    if message.act not in ACTS or message.priority not in PRIORITIES:
        raise _unheard_of(message)
    if not allow_empty and not message.body.strip() and message.act not in WORDLESS and not _levels(message):
        raise EmptyBody(
            "cannot send an empty message", f"'{message.act}' needs words", "give a body with -m TEXT or -m -"
        )
    if len(message.subject) > SUBJECT_CHARS:
        raise TooLarge(
            "cannot take the subject", f"it is longer than {SUBJECT_CHARS} characters", "put it in the body"
        )
    for text in _texts(message):
        if not text.isascii():
            encodable(text)
        if not allow_secret:
            harmless(text)


def harmless(text: str) -> None:
    """Refuse a text that holds a secret."""
    family = secrets.find(text)
    if family:
        raise SecretFound(
            "will not send a secret",
            f"the text seems to hold one ({family}), and every agent could read it",
            "take it out, or use --allow-secret",
        )


def _addressed(to: list[str]) -> BadArguments | TooLarge:
    if not to:
        return BadArguments("cannot send", "nobody is addressed", "name an agent, a list, or @all")
    return TooLarge(
        f"cannot send to {len(to)} recipients", f"at most {RECIPIENTS} can be named", "make a list of them"
    )


def _unheard_of(message: Message) -> BadArguments:
    if message.act not in ACTS:
        return BadArguments(
            f"there is no act '{message.act}'", "the list is closed", f"use one of {', '.join(ACTS)}"
        )
    return BadArguments(
        f"there is no priority '{message.priority}'", "", f"use one of {', '.join(PRIORITIES)}"
    )


def _texts(message: Message) -> list[str]:
    texts = [message.body]
    if message.subject:
        texts.append(message.subject)
    if message.reasoning or message.meta or message.task or message.run or message.files or message.artifacts:
        texts += [message.reasoning, message.task, message.run, *message.artifacts, *_free(message)]
    return texts


def _free(message: Message) -> list[str]:
    """Return the texts of the free fields, if there are not too many."""
    if len(message.meta) > META_FIELDS or len(message.files) + len(message.artifacts) > FILES:
        raise TooLarge(
            "cannot take so many fields",
            f"at most {META_FIELDS} of meta, {FILES} files",
            "put them in a file",
        )
    texts: list[str] = []
    for field, value in message.meta.items():
        found = _inside([field, value])
        if sum(map(len, found)) > META_CHARS:
            why = f"it is longer than {META_CHARS} characters"
            raise TooLarge(f"cannot take the field {field[:40]!r}", why, "use a file")
        texts += found
    return texts + _inside(message.files)


def _inside(value: object) -> list[str]:
    """Return every text of a plain value, names of fields too; refuse what JSON cannot say."""
    texts: list[str] = []
    waiting: list[tuple[object, int]] = [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        if depth > DEPTH:
            raise TooLarge("cannot take the fields", f"they are nested deeper than {DEPTH}", "use a file")
        if type(each) is dict:
            waiting += [(part, depth + 1) for pair in each.items() for part in pair]
        elif type(each) is list or type(each) is tuple:
            waiting += [(part, depth + 1) for part in each]
        elif type(each) is float and each - each != 0:
            raise BadArguments("cannot take the fields", f"JSON has no {each}", "use a text")
        elif each is None or type(each) in (str, int, float, bool):
            texts.append(str(each))
        else:
            raise BadArguments("cannot take the fields", f"JSON has no {type(each).__name__}", "use a text")
    return texts


def encodable(text: str) -> None:
    """Refuse a text that cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise BadText(
            "cannot send the text", "it is not Unicode (half a surrogate pair)", "send it as UTF-8"
        ) from fault


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


def encoded(message: Message) -> bytes:
    """Return what the log stores of a message that has its ids: `body(mail_sent(message))`.

    The usual message is written out, without the steps between (docs/adr/0014); a test compares the two.
    """
    if message.thread or len(message.to) > 1 or not message.is_usual():
        return body(mail_sent(message))
    message.thread = message.id
    sender = quote(message.sender)
    return (
        f'"event_id":"{message.event_id}","event_type":"mail.sent","timestamp":"{message.at}",'
        f'"actor":{sender},"auth":"{message.auth}",'
        f'"data":{{"message_id":"{message.id}","from":{sender},"to":[{quote(message.to[0])}],'
        f'"body":{quote(message.body)}}}'
    ).encode()


def is_weighty(message: Message) -> bool:
    """Tell whether a message must be looked at: it replies, moves a task, or is not everybody's to say."""
    moves = message.task and message.act != "inform"
    return bool(message.reply_to or moves or message.act in ("leave", "autonomy"))


def send_plain(desk: Desk, message: Message) -> Sent | None:
    """Store a checked message, if it is plain and all its names are known; else do nothing."""
    known = desk.known()
    if is_weighty(message) or not known.speaks(message.sender):
        return None
    for written in message.to:
        if not known.means(written):
            return None
    if not message.id:
        stamp(message, letters(), now())
    message.seq = desk.log.append_encoded([encoded(message)])[0]
    desk.bells.ring(message.to)
    return Sent(message, fresh=True, unknown=[])
