"""What the log has already of what is being read: messages by id, questions, tasks, and who gave which."""

import re
from collections.abc import Collection, Iterable

from palaver.bus.session import Session
from palaver.model import secrets
from palaver.model.message import Message, from_event
from palaver.model.names import EVERYONE
from palaver.views.mail import inbox, mail_queries
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card

# How far back an answer to a message with an id of another protocol is looked for.
_SHOWN = 20_000
_BUS_ID = re.compile(r"MSG-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.+-([a-z2-7]{12})")


class Known:
    """Messages and tasks that the log has, or that this pass has read before."""

    def __init__(self, core: Session, db: Query) -> None:
        """Take the view to look into."""
        self._core = core
        self._db = db
        self._fresh: dict[str, Message] = {}
        self._asks: list[Message] = []
        # Ids that the view was asked for, many at once, and does not have.
        self._unknown: set[str] = set()
        #: Who gave whom which task, of those that were asked for.
        self._givers: dict[tuple[str, str], str] = {}
        #: Tasks as lines of this pass leave them.
        self.cards: dict[str, Card] = {}
        self._changed: dict[str, str] | None = None

    def look_up(self, messages: Iterable[Message]) -> None:
        """Ask for the ids and tasks of many messages at once; nearly always the log has none of them."""
        some = [*messages]
        ids = [message.id for message in some if message.id]
        self._unknown.update(set(ids) - mail_queries.known(self._db, ids))
        self._givers.update(mail_queries.givers(self._db, sorted({message.task for message in some} - {""})))

    def message(self, message_id: str) -> Message | None:
        """Return the message with an id."""
        fresh = self._fresh.get(message_id)
        if fresh is not None or message_id in self._unknown:
            return fresh
        row = inbox.found(self._db, message_id)
        event = self._core.said(row) if row else None
        return from_event(event) if event else None

    def shown_as(self, bus_id: str) -> Message | None:
        """Return the message that stands in a bus file under an id that was made for it there.

        Such an id is made of the time and of the event, so it can be found again without an index of its own.
        """
        found = self.message(f"msg-{bus_id.rpartition('-')[2]}")
        match = None if found else _BUS_ID.fullmatch(bus_id)
        if match is None:
            return found
        year, month, day, hour, minute, second, drawn = match.groups()
        for row in inbox.said_at(self._db, f"{year}-{month}-{day}T{hour}:{minute}:{second}", _SHOWN):
            event = self._core.said(row)
            if event is not None and event.event_id == f"evt-{drawn}":
                return from_event(event)
        return None

    def add(self, message: Message) -> None:
        """Remember one of this pass."""
        self._fresh[message.id] = message
        if message.act == "ask":
            self._asks.append(message)

    def has_read(self, message_id: str, reader: str) -> bool:
        """Return True if the log knows that an agent has read a message."""
        return (message_id, reader) in mail_queries.read_marks(self._db, [message_id])

    def asked(self, message: Message, senders: Collection[str]) -> str:
        """Return the question of one of these agents that an answer closes if it names none."""
        for each in self._asks:
            if each.sender in senders:
                return each.id
        return mail_queries.question(self._db, message.sender, senders, message.task)

    def card(self, task_id: str) -> Card | None:
        """Return a task with what it needs."""
        if task_id not in self.cards:
            found = board.task(self._db, task_id)
            if found is None:
                return None
            self.cards[task_id] = board.card(self._db, found)
        return self.cards[task_id]

    def changed(self, task_id: str) -> str:
        """Return when a task was last moved or changed since it was opened."""
        if self._changed is None:
            self._changed = board.changed(self._db)
        return self._changed.get(task_id, "")

    def giver(self, task: str, agent: str) -> str:
        """Return who gave an agent a task that was asked for, or nothing."""
        return self._givers.get((task, agent), "")


def mask_secrets(message: Message) -> tuple[Message, str]:
    """Return a message without the secrets in its texts, and the family of one that was found, or nothing.

    What a command would refuse to send, a file has said already.
    """
    found = ""
    masked: dict[str, object] = {}
    texts = {"subject": message.subject, "body": message.body, "reasoning": message.reasoning}
    for field, text in texts.items():
        family = secrets.find(text) if text else ""
        if family:
            found = family
            masked[field] = secrets.masked(text)
    return (message.replace(**masked) if masked else message), found


def says_again(message: Message, known: Message) -> bool:
    """Return True if a line says what the log has under its id, to somebody whom that was for too.

    The log has names in full, and everyone of a mount by its name.
    """
    to = {_last(each) for each in known.to}
    return (
        message.act == known.act
        and all(each == EVERYONE or _last(each) in to for each in message.to)
        and _is_same(known.subject, message.subject)
        and _is_same(known.body, message.body)
    )


def _is_same(known: str, text: str) -> bool:
    return known == text or known == secrets.masked(text)


def _last(address: str) -> str:
    return address.rpartition("/")[2].removeprefix("@")
