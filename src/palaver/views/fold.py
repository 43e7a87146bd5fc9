"""A fold: the tables of one view, and how events change them.

A view is one module with one fold, its queries beside it, and one line in the registry. Folds are total: a
log that is already written never raises. A fold may use the folds that come before it in the registry.
"""

from collections.abc import Callable, Mapping
from sqlite3 import Connection
from types import MethodType
from typing import ClassVar, TypeVar

from palaver.log.batch import EventBatch
from palaver.model.event import Event, text
from palaver.model.limits import GIST_CHARS
from palaver.views.query import Query

Reaction = Callable[[Event], None]
# Methods of a fold by type of event.
Reactions = Mapping[str, Callable[..., None]]
# Stands for every event, whatever its type.
EVERY = "*"


def sender_of(event: Event) -> str:
    """Return the agent in whose name a message was sent."""
    return (text(event.data, "from") or event.actor).lower()


def first_line(words: str) -> str:
    """Return the first line of a text, cut where a list would cut it."""
    return words[:GIST_CHARS].partition("\n")[0]


def gist_of(event: Event) -> str:
    """Return the one line that stands for a message in a list: its subject, or else its first line."""
    return first_line(text(event.data, "subject") or text(event.data, "body"))


class Fold:
    """The base of all folds."""

    TABLES: ClassVar[tuple[str, ...]] = ()
    # Created at the end of a rebuild, because that is faster than maintaining them meanwhile.
    INDEXES: ClassVar[tuple[str, ...]] = ()
    # The method for each type of event; that of `EVERY` comes first, whatever the type.
    REACTIONS: ClassVar[Reactions] = {}

    def __init__(self, folds: "Folds") -> None:
        """Start from what the database holds."""
        self._db = folds.db

    def begin(self, batch: EventBatch) -> None:
        """Look at a batch before its events are applied."""

    def flush(self) -> None:
        """Write rows that were collected; called at the end of a batch, and by whoever reads the tables."""


AnyFold = TypeVar("AnyFold", bound=Fold)


class Folds:
    """The folds of one pass over new events, made in the order of the registry."""

    def __init__(self, db: Connection, views: tuple[type[Fold], ...]) -> None:
        """Make a fold of each class."""
        self.db = db
        self.query = Query(lambda question, values: db.execute(question, values).fetchall())
        self._made: dict[type[Fold], Fold] = {}
        self._reactions: dict[str, list[Reaction]] = {}
        for view in views:
            self._made[view] = view(self)
        self._every = self._bound(EVERY)
        for event_type in {name for view in views for name in view.REACTIONS} - {EVERY}:
            self._reactions[event_type] = self._every + self._bound(event_type)

    def _bound(self, event_type: str) -> list[Reaction]:
        """Return the methods that folds have for a type of event, in the order of the registry."""
        wanted = [fold for fold in self._made.values() if event_type in fold.REACTIONS]
        return [MethodType(fold.REACTIONS[event_type], fold) for fold in wanted]

    def get(self, view: type[AnyFold]) -> AnyFold:
        """Return the fold of a class that comes earlier in the registry."""
        found = self._made[view]
        assert isinstance(found, view)
        return found

    def apply(self, batch: EventBatch) -> None:
        """Apply a batch of the log."""
        for fold in self._made.values():
            fold.begin(batch)
        for event in batch.events:
            if event.key and not self._is_first(event):
                continue
            for react in self._reactions.get(event.event_type, self._every):
                react(event)
        for fold in self._made.values():
            fold.flush()

    def _is_first(self, event: Event) -> bool:
        """Return True if the actor has not used this key before: a later event has no effect."""
        done = self.db.execute(
            "insert or ignore into key values (?, ?, ?)", (event.actor, event.key, event.seq)
        )
        return done.rowcount == 1
