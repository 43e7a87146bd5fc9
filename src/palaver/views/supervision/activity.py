"""The last event of each agent: what it does on the bus, what its program writes, what its hooks report."""

from palaver.model.event import Event, flag, text
from palaver.model.names import BUS
from palaver.views.fold import EVERY, Fold, Folds, on

_TABLES = ("create table activity (agent text primary key, seq integer) without rowid",)


class Activity(Fold):
    """How events change it; written once a batch."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start with nothing to write."""
        super().__init__(folds)
        self._seen: dict[str, int] = {}

    @on(EVERY)
    def _acted(self, event: Event) -> None:
        self._seen[event.actor] = event.seq

    @on("run.output", "agent.activity")
    def _reported(self, event: Event) -> None:
        if not flag(event.data, "quiet"):
            self._seen[text(event.data, "agent")] = event.seq

    def flush(self) -> None:
        """Write which agents were active; the last event counts, in whatever case the name is written."""
        rows = [(seq, actor.lower()) for actor, seq in self._seen.items() if actor.lower() not in ("", BUS)]
        self._db.executemany("insert or replace into activity (seq, agent) values (?, ?)", sorted(rows))
        self._seen.clear()
