"""The last event of each agent: what it does on the bus, what its program writes, what its hooks report."""

from typing import ClassVar

from palaver.model.event import Event, flag, text
from palaver.model.names import BUS
from palaver.views.fold import EVERY, Fold, Folds, Reactions

_TABLES = ("create table activity (agent text primary key, seq integer) without rowid",)


class Activity(Fold):
    """How events change it; written once a batch."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start with nothing to write."""
        super().__init__(folds)
        self._seen: dict[str, int] = {}

    def _acted(self, event: Event) -> None:
        self._seen[event.actor] = event.seq

    def _reported(self, event: Event) -> None:
        if not flag(event.data, "quiet"):
            self._seen[text(event.data, "agent")] = event.seq

    def flush(self) -> None:
        """Write which agents were active."""
        found: dict[str, int] = {}
        for actor, seq in self._seen.items():
            name = actor.lower()
            found[name] = max(seq, found.get(name, 0))
        self._seen.clear()
        found.pop(BUS, None)
        found.pop("", None)
        self._db.executemany("insert or replace into activity values (?, ?)", sorted(found.items()))

    REACTIONS: ClassVar[Reactions] = {
        EVERY: _acted,
        "run.output": _reported,
        "agent.activity": _reported,
    }
