"""What the log has already of what is being read: messages by id, questions, tasks, and who gave which.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Collection, Sequence

from palaver.bus.core import Core
from palaver.model.dialect import Piece
from palaver.model.message import Message, from_event
from palaver.views import board, inbox
from palaver.views.asked import Asked
from palaver.views.board import Card


class Known:
    """Messages that the log, or this batch, has already."""

    __slots__ = ("_changed", "_core", "_db", "_fresh", "_givers", "_unknown", "cards")

    def __init__(self, core: Core, db: Asked) -> None:
        """Take the view to look into."""
        self._core = core
        self._db = db
        self._fresh: dict[str, Message] = {}
        # Ids that the view was asked for, all at once, and does not have.
        self._unknown: frozenset[str] = frozenset()
        # Who gave whom which task, of those that were asked for.
        self._givers: dict[tuple[str, str], str] = {}
        #: Tasks as lines of this pass leave them.
        self.cards: dict[str, Card] = {}
        self._changed: dict[str, str] | None = None

    def look_up(self, pieces: Sequence[Piece]) -> None:
        """Ask for the ids and tasks of many messages at once; nearly always the log has none of them."""
        from palaver.views import questions

        ids = [value.id for piece in pieces for value in piece.values if type(value) is Message and value.id]
        self._unknown = frozenset(ids) - questions.known(self._db, ids)
        tasks = {value.task for piece in pieces for value in piece.values if type(value) is Message}
        self._givers = questions.givers(self._db, sorted(tasks - {""}))

    def message(self, message_id: str) -> Message | None:
        """Return the message with an id."""
        if message_id in self._fresh:
            return self._fresh[message_id]
        if message_id in self._unknown:
            return None
        row = inbox.found(self._db, message_id)
        event = self._core.said(row) if row else None
        return from_event(event) if event else None

    def shown_as(self, bus_id: str) -> Message | None:
        """Return the message that stands in a bus file under an id that was made for it there."""
        from palaver.sync.answers import shown_as

        return self.message(f"msg-{bus_id.rpartition('-')[2]}") or shown_as(self._core, self._db, bus_id)

    def add(self, message: Message) -> None:
        """Remember one of this batch."""
        self._fresh[message.id] = message

    def has_read(self, message_id: str, reader: str) -> bool:
        """Tell whether the log knows that somebody has read a message."""
        from palaver.views import questions

        return (message_id, reader) in questions.marks(self._db, [message_id])

    def asked(self, message: Message, senders: Collection[str]) -> str:
        """Return the question of one of these agents that an answer closes if it names none."""
        from palaver.views import questions

        for each in self._fresh.values():
            if each.act == "ask" and each.sender in senders:
                return each.id
        return questions.question(self._db, message.sender, senders, message.task)

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

    def giver(self, message: Message) -> str:
        """Return who gave its sender the task that a message is about."""
        return self._givers.get((message.task, message.sender), "")
