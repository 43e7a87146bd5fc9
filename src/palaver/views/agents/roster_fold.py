"""How events change the roster; the first of all folds, because an event may introduce its actor."""

from palaver.model.event import Event
from palaver.views.agents.roster import COLUMNS
from palaver.views.fold import Fold, on, sender_of
from palaver.views.query import marks

_TABLES = (
    """create table agent (
        number integer primary key, id text unique, name text, handle text, role text, about text,
        declared integer, retired integer, since text, seq integer, at text, sent integer, homes text)""",
    "create table setting (name text primary key, value text) without rowid",
)
_INSERT = f"insert or replace into agent ({', '.join(COLUMNS)}) values ({marks(len(COLUMNS))})"


class RosterFold(Fold):
    """Keeps the roster that all folds share, and writes it."""

    TABLES = _TABLES

    @on("mail.sent")
    def _sent(self, event: Event) -> None:
        self._roster.seen(sender_of(event), event)

    @on("agent.registered")
    def _registered(self, event: Event) -> None:
        self._roster.registered(event)

    @on("agent.retired")
    def _retired(self, event: Event) -> None:
        self._roster.retired(event)

    @on("config.applied")
    def _configured(self, event: Event) -> None:
        self._roster.configured(event)
        self.collect("insert or replace into setting values ('config', ?)", (self._roster.settings,))

    def flush(self) -> None:
        """Write the agents and settings that have changed."""
        for agent_id in sorted(self._roster.dirty):
            self.collect(_INSERT, self._roster.agents[agent_id].row())
        self._roster.dirty.clear()
        super().flush()
