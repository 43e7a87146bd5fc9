"""Replay: bring a view up to the end of the log, in one loop for all views.

The rows and the place that they were derived from are written in one transaction, with the hash of the last
line: if the next record names another, the log is not the one that the view was built from.
"""

from collections.abc import Callable
from sqlite3 import Connection
from typing import NamedTuple

from palaver.log.batch import EventBatch
from palaver.log.port import Log
from palaver.views import store
from palaver.views.agents.roster import Roster, RosterFold
from palaver.views.fold import Folds
from palaver.views.registry import INDEXES, VIEWS


class LogReplaced(Exception):
    """Raised when the log before the place of a view is not what it was."""


class ReplayProgress(NamedTuple):
    """How far a view has read the log."""

    seq: int
    place: str
    head: str
    is_whole: int


def progress(db: Connection) -> ReplayProgress:
    """Return how far a view has read."""
    return ReplayProgress(*db.execute("select seq, place, head, whole from place").fetchone())


def check(db: Connection, log: Log) -> None:
    """Raise `LogReplaced` if a view has read further than the log reaches: an older log was put back."""
    [(place,)] = db.execute("select place from place")
    if not log.reaches(str(place)):
        raise LogReplaced


def apply(
    db: Connection,
    log: Log,
    *,
    told: Callable[[EventBatch], None] | None = None,
    changing: Callable[[], None] | None = None,
) -> Roster | None:
    """Bring a view up to the end of the log; return the roster if it changed.

    `changing` is called before a change of the roster takes effect. `told` is called after each batch of a
    rebuild. Raise `LogReplaced` if the log is not the one that the view was built from.
    """
    path = store.file_of(db)
    before = progress(db)
    seq, head = before.seq, before.head
    folds: Folds | None = None
    wal_bytes = store.WAL_BYTES if before.is_whole else store.BUILDING_WAL_BYTES
    for batch in log.batches(before.place):
        if not batch.follows(head) and not told:
            raise LogReplaced
        seq, head = batch.last_seq or seq, batch.head or head
        with store.transaction(db):
            folds = folds or Folds(db, VIEWS)
            folds.apply(batch)
            if changing and folds.get(RosterFold).roster.changed:
                changing()
            db.execute("update place set seq = ?, place = ?, head = ?", (seq, batch.end, head))
        store.trim(db, path, wal_bytes)
        if told:
            told(batch)
    if not before.is_whole:
        _finish(db)
        store.trim(db, path)
    roster = folds.get(RosterFold).roster if folds else None
    return roster if roster and roster.changed else None


def _finish(db: Connection) -> None:
    """Create the indexes that queries need, and mark the view as whole."""
    with store.transaction(db):
        for statement in INDEXES:
            db.execute(statement)
        db.execute("update place set whole = 1")
    store.shrink_cache(db)
