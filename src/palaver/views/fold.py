"""A fold: the tables of one view, and how events change them.

A view is one module with one fold, its queries beside it, and one line in the registry. Folds are total: a
log that is already written never raises. A fold may use the folds that come before it in the registry.
"""

from collections.abc import Callable, Mapping, Sequence
from sqlite3 import Connection
from types import MethodType
from typing import ClassVar, TypeVar

from palaver.model.event import Event, text
from palaver.model.limits import GIST_CHARS
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster

# Stands for every event, whatever its type.
EVERY = "*"
# The types of events that methods of folds react to.
_REACTIONS: dict[Callable[..., None], tuple[str, ...]] = {}
Method = TypeVar("Method", bound=Callable[..., None])


def on(*event_types: str) -> Callable[[Method], Method]:
    """Mark a method of a fold as its reaction to some types of events."""

    def mark(method: Method) -> Method:
        _REACTIONS[method] = event_types
        return method

    return mark


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
    REACTIONS: ClassVar[Mapping[str, Callable[..., None]]] = {}

    def __init_subclass__(cls) -> None:
        """Collect the methods that are marked with `on`."""
        methods = [method for method in vars(cls).values() if method in _REACTIONS]
        cls.REACTIONS = {event_type: method for method in methods for event_type in _REACTIONS[method]}

    def __init__(self, folds: "Folds") -> None:
        """Start from what the database holds."""
        self._folds = folds
        self._db = folds.db
        self._roster = folds.roster
        self._rows: dict[str, list[tuple[object, ...]]] = {}

    def collect(self, statement: str, row: tuple[object, ...]) -> None:
        """Keep a row for a statement that is executed with many rows at once."""
        self._rows.setdefault(statement, []).append(row)

    def flush(self) -> None:
        """Write the collected rows; called at the end of a batch, and before the tables are read."""
        for statement, rows in self._rows.items():
            self._db.executemany(statement, rows)
        self._rows = {}


AnyFold = TypeVar("AnyFold", bound=Fold)
# By type of event: the views that react to it, in the order of the registry, and their methods.
ReactionTable = Mapping[str, Sequence[tuple[type[Fold], Callable[..., None]]]]


class Folds:
    """The folds of one pass over new events, each made when the first event comes that concerns it."""

    def __init__(self, db: Connection, table: ReactionTable) -> None:
        """Take the database, and which folds react to what."""
        self.db = db
        #: The roster and the policy as of the event that is being applied; all folds share them.
        self.roster = Roster(self)
        self.policy = Policy(self.roster)
        self._table = table
        self._made: dict[type[Fold], Fold] = {}
        self._reactions: dict[str, list[Callable[[Event], None]]] = {}

    def execute(self, question: str, values: tuple[object, ...] = ()) -> list:  # type: ignore[type-arg]  # rows of any shape
        """Return the rows of a query: folds use the queries of views too."""
        return self.db.execute(question, values).fetchall()

    def get(self, view: type[AnyFold]) -> AnyFold:
        """Return the fold of a class."""
        found = self._made.get(view)
        if found is None:
            found = self._made[view] = view(self)
        assert isinstance(found, view)
        return found

    def apply(self, events: list[Event]) -> None:
        """Apply events of the log, and write everything that was collected."""
        for event in events:
            if event.key and not self._is_first(event):
                continue
            kind = event.event_type if event.event_type in self._table else EVERY
            if kind not in self._reactions:
                self._reactions[kind] = [
                    MethodType(react, self.get(view)) for view, react in self._table[kind]
                ]
            for react in self._reactions[kind]:
                react(event)
        for fold in self._made.values():
            fold.flush()

    def _is_first(self, event: Event) -> bool:
        """Return True if the actor has not used this key before: a later event has no effect."""
        done = self.db.execute(
            "insert or ignore into key values (?, ?, ?)", (event.actor, event.key, event.seq)
        )
        return done.rowcount == 1
