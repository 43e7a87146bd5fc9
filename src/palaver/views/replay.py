"""Replay: bring a view up to the end of the log, in one loop for all views.

The rows and the place that they were derived from are written in one transaction, with the hash of the last
line: if the next record names another, the log is not the one that the view was built from.
"""

from collections.abc import Callable
from sqlite3 import Connection
from typing import NamedTuple

from palaver.log.port import EventBatch, Log
from palaver.views import store
from palaver.views.agents.roster import Roster
from palaver.views.files.quarantine import Quarantine
from palaver.views.fold import Folds
from palaver.views.registry import INDEXES, REACTIONS


class ReplayProgress(NamedTuple):
    """How far a view has read the log."""

    seq: int
    place: str
    head: str
    is_whole: int


def progress(db: Connection) -> ReplayProgress:
    """Return how far a view has read."""
    return ReplayProgress(*db.execute("select seq, place, head, whole from place").fetchone())


def apply(
    db: Connection,
    log: Log,
    *,
    roster: Roster | None = None,
    told: Callable[[EventBatch], None] | None = None,
    changing: Callable[[], None] | None = None,
) -> Roster | None:
    """Bring a view up to the end of the log; return the roster if there was anything new.

    `roster` is that of the view, if the caller has it. `changing` is called before a change of the roster
    takes effect, `told` after each batch.
    Raise `LogReplaced` if the log is not the one that the view was built from.
    """
    seq, place, head, is_whole = progress(db)
    folds: Folds | None = None
    for batch in log.batches(str(place), str(head)):
        with store.transaction(db):
            folds = folds or Folds(db, REACTIONS, roster)
            for line in batch.damage:
                # First, because an event of the same batch may explain it.
                folds.get(Quarantine).damaged(line)
            folds.apply(batch.events)
            if changing and folds.roster.changed:
                changing()
            seq, head = (batch.events[-1].seq, batch.head) if batch.events else (seq, head)
            db.execute("update place set seq = ?, place = ?, head = ?", (seq, batch.end, head))
        store.trim(db, store.WAL_BYTES if is_whole else store.BUILDING_WAL_BYTES)
        if told:
            told(batch)
    if not is_whole:
        # Created at the end of a rebuild, because that is faster than maintaining them meanwhile.
        with store.transaction(db):
            for statement in INDEXES:
                db.execute(statement)
            db.execute("update place set whole = 1")
        # Give back the memory that the rebuild needed: this is the default of SQLite.
        db.execute("pragma cache_size = -2000")
        store.trim(db)
    return folds.roster if folds else None
