"""Replay: bring a view up to the end of the log, in one loop for all views.

The rows and the place that they were derived from are written in one transaction, with the hash of the last
line: if the next record names another, the log is not the one that the view was built from.

What a view holds is synced: a power cut takes nothing from the log that a view has. So its position shows a
loss of the log (docs/adr/0044); a checksum tells that from damage of the view itself.
"""

from collections.abc import Callable
from hashlib import blake2b
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
    checksum: str

    @property
    def is_sound(self) -> bool:
        """Return True if there is a position, and it is what was written."""
        return bool(self.head) and self.checksum == _checksum(self.seq, self.place, self.head)


def progress(db: Connection) -> ReplayProgress:
    """Return how far a view has read."""
    return ReplayProgress(*db.execute("select seq, place, head, whole, sum from place").fetchone())


def _is_gone(log: Log, batch: EventBatch) -> bool:
    """Return True if a writer has taken back the last event, because the disk is full."""
    for last in batch.events[-1:]:
        found = log.events_at([last.place])[0]
        return found is None or found.event_id != last.event_id
    return False


def _checksum(seq: int, place: str, head: str) -> str:
    return blake2b(f"{seq} {place} {head}".encode(errors="replace"), digest_size=8).hexdigest()


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
    seq, place, head, is_whole, _ = progress(db)
    folds: Folds | None = None
    for batch in log.batches(str(place), str(head)):
        log.sync()
        if _is_gone(log, batch):
            break
        with store.transaction(db):
            folds = folds or Folds(db, REACTIONS, roster)
            for line in batch.damage:
                # First, because an event of the same batch may explain it.
                folds.get(Quarantine).damaged(line)
            folds.apply(batch.events)
            if changing and folds.roster.changed:
                changing()
            seq, head = (batch.events[-1].seq, batch.head) if batch.events else (seq, head)
            reached = (seq, batch.end, head)
            db.execute(
                "update place set seq = ?, place = ?, head = ?, sum = ?", (*reached, _checksum(*reached))
            )
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
