"""A fold: the tables of one view, and how events change them.

A view is one module with one fold, its queries beside it, and one line in the registry. Folds are total: a
log that is already written never raises. A fold may use the folds that come before it in the registry.
"""

from collections.abc import Callable, Sequence
from sqlite3 import Connection
from types import MethodType
from typing import ClassVar, NamedTuple, TypeVar

from palaver.model.event import Event, text
from palaver.model.limits import GIST_CHARS
from palaver.model.message import ACTS
from palaver.model.names import BUS
from palaver.model.task import canonical_id
from palaver.views.agents.policy import Policy
from palaver.views.agents.power import act_of, target_of
from palaver.views.agents.roster import Roster

# What folds react to, besides types of events: every event, and what only some messages are.
EVERY = "*"
BY_BUS = "mail.sent by the bus"
REPLY = "mail.sent as a reply"
ABOUT_TASK = "mail.sent about a task"
# What a line of a file became, if something was found about the line: the event of the line says so itself.
FOUND = "an event with findings"
# What the methods of folds react to.
_TOPICS: dict[Callable[..., None], frozenset[str]] = {}
Method = TypeVar("Method", bound=Callable[..., None])


def on(*topics: str) -> Callable[[Method], Method]:
    """Mark a method of a fold as its reaction to some topics: types of events, or those above."""

    def mark(method: Method) -> Method:
        _TOPICS[method] = frozenset(topics)
        return method

    return mark


def with_act(act: str) -> str:
    """Return the topic of messages with an act."""
    assert act in ACTS, act
    return f"mail.sent with act {act}"


def topics_of(event: Event) -> tuple[str, ...]:
    """Return the topics of an event, so that a message costs nothing in views that it does not concern."""
    found = [EVERY, event.event_type]
    if "found" in event.data or "bounce" in event.data:
        found.append(FOUND)
    if event.event_type == "mail.sent":
        if event.actor == BUS:
            found.append(BY_BUS)
        if "reply_to" in event.data:
            found.append(REPLY)
        if "task" in event.data:
            found.append(ABOUT_TASK)
        if (act := text(event.data, "act")) in ACTS:
            found.append(f"mail.sent with act {act}")
    return tuple(found)


def sender_of(event: Event) -> str:
    """Return the agent in whose name a message was sent."""
    return (text(event.data, "from") or event.actor).lower()


def is_again(event: Event) -> bool:
    """Return True if a message is a line that the log has, copied or edited: what a line did is done."""
    return event.src is not None and "again" in event.src


def task_of(event: Event) -> str:
    """Return the id of the task that an event is about, or nothing."""
    return canonical_id(text(event.data, "task"))


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
    # The methods that are marked with `on`, in the order of their definition.
    REACTIONS: ClassVar[tuple["Reaction", ...]] = ()

    def __init_subclass__(cls) -> None:
        """Collect the reactions."""
        methods = [method for method in vars(cls).values() if method in _TOPICS]
        cls.REACTIONS = tuple([Reaction(cls, method, _TOPICS[method]) for method in methods])

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


class Reaction(NamedTuple):
    """A method of a fold, and what it reacts to."""

    view: type[Fold]
    method: Callable[..., None]
    topics: frozenset[str]


AnyFold = TypeVar("AnyFold", bound=Fold)


class Folds:
    """The folds of one pass over new events, each made when the first event comes that concerns it."""

    def __init__(self, db: Connection, table: Sequence[Reaction], roster: Roster | None = None) -> None:
        """Take the database, and which folds react to what, in this order; and the roster, if it is known."""
        self.db = db
        #: The roster and the policy as of the event that is being applied; all folds share them.
        self.roster = roster or Roster(self)
        self.policy = Policy(self.roster)
        self._table = table
        self._topics = frozenset().union(*[each.topics for each in table])
        self._made: dict[type[Fold], Fold] = {}
        # By topics of an event.
        self._reactions: dict[tuple[str, ...], list[Callable[[Event], None]]] = {}

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
            is_known = event.event_type in self._topics
            # The bus needs no power; messages are judged where they have an effect.
            if is_known and event.actor != BUS and event.event_type != "mail.sent":
                is_known = not self._is_powerless(event)
            topics = topics_of(event) if is_known else (EVERY,)
            if topics not in self._reactions:
                self._reactions[topics] = [
                    MethodType(each.method, self.get(each.view))
                    for each in self._table
                    if not each.topics.isdisjoint(topics)
                ]
            for react in self._reactions[topics]:
                react(event)
        self.flush()

    def flush(self) -> None:
        """Write what the folds have collected."""
        for fold in self._made.values():
            fold.flush()

    def _is_powerless(self, event: Event) -> bool:
        """Return True if an event other than a message needs power that its actor does not have."""
        act = act_of(event)
        return act != "" and self.policy.may(act, event, target_of(event)) != ""

    def _is_first(self, event: Event) -> bool:
        """Return True if the actor has not used this key before: a later event has no effect."""
        done = self.db.execute(
            "insert or ignore into key values (?, ?, ?)", (event.actor, event.key, event.seq)
        )
        return done.rowcount == 1
