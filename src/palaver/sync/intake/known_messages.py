"""What the log has already of what is being read: messages by id, questions, tasks, and who gave which.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Collection, Sequence

from palaver.bus.session import Session
from palaver.model.dialect import Piece
from palaver.model.event import Event
from palaver.model.message import Message, from_event
from palaver.model.plain import loads
from palaver.views.mail import inbox
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card


class Known:
    """Messages that the log, or this batch, has already."""

    __slots__ = ("_asks", "_changed", "_core", "_db", "_fresh", "_unknown", "cards", "givers", "new")

    def __init__(self, core: Session, db: Query) -> None:
        """Take the view to look into."""
        self._core = core
        self._db = db
        # By id, as they were said, or as the log has them.
        self._fresh: dict[str, Message | bytes] = {}
        self._asks: list[Message] = []
        # Ids that the view was asked for, all at once, and does not have.
        self._unknown: frozenset[str] = frozenset()
        #: Whether none of the messages that were asked for is known.
        self.new = False
        #: Who gave whom which task, of those that were asked for.
        self.givers: dict[tuple[str, str], str] = {}
        #: Tasks as lines of this pass leave them.
        self.cards: dict[str, Card] = {}
        self._changed: dict[str, str] | None = None

    def look_up(self, pieces: Sequence[Piece]) -> None:
        """Ask for the ids and tasks of many messages at once; nearly always the log has none of them."""
        from palaver.views.mail import lookups

        ids = [value.id for piece in pieces for value in piece.values if type(value) is Message and value.id]
        wanted = frozenset(ids)
        self._unknown = wanted - lookups.known(self._db, ids)
        self.new = len(self._unknown) == len(wanted) and self._fresh.keys().isdisjoint(wanted)
        tasks = {value.task for piece in pieces for value in piece.values if type(value) is Message}
        self.givers = lookups.givers(self._db, sorted(tasks - {""}))

    def message(self, message_id: str) -> Message | None:
        """Return the message with an id."""
        fresh = self._fresh.get(message_id)
        if fresh is not None:
            return fresh if isinstance(fresh, Message) else _decoded(fresh)
        if message_id in self._unknown:
            return None
        row = inbox.found(self._db, message_id)
        event = self._core.said(row) if row else None
        return from_event(event) if event else None

    def shown_as(self, bus_id: str) -> Message | None:
        """Return the message that stands in a bus file under an id that was made for it there."""
        from palaver.sync.intake.answers import shown_as

        return self.message(f"msg-{bus_id.rpartition('-')[2]}") or shown_as(self._core, self._db, bus_id)

    def add(self, message: Message) -> None:
        """Remember one of this pass."""
        self._fresh[message.id] = message
        if message.act == "ask":
            self._asks.append(message)

    def remember(self, message_id: str, record: bytes) -> None:
        """Remember one of this pass that asks nothing by its record, which is there in any case."""
        self._fresh[message_id] = record

    def is_new(self, message_id: str) -> bool:
        """Tell whether an id that was asked for is nobody's yet."""
        return message_id in self._unknown and message_id not in self._fresh

    def has_read(self, message_id: str, reader: str) -> bool:
        """Tell whether the log knows that somebody has read a message."""
        from palaver.views.mail import lookups

        return (message_id, reader) in lookups.marks(self._db, [message_id])

    def asked(self, message: Message, senders: Collection[str]) -> str:
        """Return the question of one of these agents that an answer closes if it names none."""
        from palaver.views.mail import lookups

        for each in self._asks:
            if each.sender in senders:
                return each.id
        return lookups.question(self._db, message.sender, senders, message.task)

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
        return self.givers.get((task, agent), "")


def _decoded(record: bytes) -> Message:
    """Return the message of a record that has no number yet."""
    fields = loads(f"{{{record.decode()}}}")
    assert type(fields) is dict
    return from_event(Event(fields))
