"""The view on the disk: one SQLite file, one apply loop, nothing that cannot be made again.

Files `.palaver/view/<schema>.<n>.db`, the highest n wins: no pointer, no rename. Anyone may apply,
under `view.lock`; readers take no lock. The rows and the place they were made from are written in one
transaction, with the hash of the last line: if the next record names another, the log is not the one
we knew, and the view is made anew.
"""

import os
import sqlite3
from _blake2 import blake2b
from collections.abc import Callable, Iterator
from sqlite3 import Connection
from stat import S_ISREG

from palaver.log.batch import Batch
from palaver.model.event import Event
from palaver.model.names import BUS
from palaver.views import work
from palaver.views.agents import input_volume, roster, runs
from palaver.views.agents.roster import Roster
from palaver.views.files import quarantine, sources
from palaver.views.mail import inbox, unanswered
from palaver.views.mail.inbox import Inbox
from palaver.views.supervision import vigil
from palaver.views.supervision.vigil import ESCALATION, Vigil
from palaver.views.work import Work

Batches = Callable[[str], Iterator[Batch]]

# Raise this when events come to mean something else while the tables stay as they are.
_FOLD = 4
_TABLES = (
    """create table place (
        one integer primary key, seq integer, place text, head text, whole integer)""",
    "create table key (actor text, key text, seq integer, primary key (actor, key)) without rowid",
    *roster.TABLES,
    *inbox.TABLES,
    *quarantine.TABLES,
    *sources.TABLES,
    *work.TABLES,
    *vigil.TABLES,
    *runs.TABLES,
    *input_volume.TABLES,
)
_INDEXES = (
    *roster.INDEXES,
    *inbox.INDEXES,
    *quarantine.INDEXES,
    *sources.INDEXES,
    *work.INDEXES,
    *unanswered.INDEXES,
    *runs.INDEXES,
)
SCHEMA = blake2b("\n".join([str(_FOLD), *_TABLES, *_INDEXES]).encode(), digest_size=4).hexdigest()

# What SQLite raises when a view is damaged; it may not even be able to spell its complaint.
Broken = (sqlite3.DatabaseError, UnicodeDecodeError)
Fault = (OSError, *Broken)
# What SQLite says when it is the disk, not the file, that is at fault.
_DISK = ("disk I/O error", "disk is full", "readonly", "unable to open", "locked")
WAL_BYTES = 500_000
# The same while a view is made from the beginning: nobody waits for it, and much is written again and again.
BUILDING_WAL_BYTES = 64_000_000
_BUILDING_CACHE_KIB = 32_000
# As SQLite has it.
_CACHE_KIB = 2_000
_PAGE_BYTES = 4_096
# What stands for itself in a file: URI; a folder may be called anything, even what is not UTF-8.
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


def is_disk(fault: Exception) -> bool:
    """Tell whether the disk is at fault: then a view that is made anew would fare no better."""
    return isinstance(fault, OSError) or any(word in str(fault) for word in _DISK)


def cause(fault: Exception) -> str:
    """Return what went wrong, for people."""
    return (fault.strerror if isinstance(fault, OSError) else "") or str(fault)


class Fold:
    """One pass over new events: what they do to the tables."""

    __slots__ = (
        *("_apply", "_db", "_given", "_inbox", "_quarantine", "_runs", "_sources", "_vigil", "_work"),
        "roster",
    )

    def __init__(self, db: Connection) -> None:
        """Start from what the view holds."""
        self._db = db
        self.roster = Roster(db)
        self._sources = files = sources.Sources(db, self.roster)
        self._inbox = box = Inbox(db, self.roster, files)
        self._quarantine = quarantine.Quarantine(db)
        self._work = Work(db, self.roster)
        self._vigil = Vigil(db, self.roster)
        self._runs = traced = runs.Runs(db)
        self._given = input_volume.Given(db)
        self._apply: dict[str, Callable[[Event], None]] = {
            "mail.delivered": self._delivered,
            "mail.read": box.read,
            "mail.acknowledged": box.acknowledged,
            "mail.archived": box.archived,
            "mail.withdrawn": self._withdrawn,
            "agent.registered": self.roster.registered,
            "agent.retired": self.roster.retired,
            "config.applied": self._configured,
            "file.quarantined": self._quarantined,
            "file.recorded": lambda event: files.spanned(event, "events"),
            "file.opened": files.opened,
            "file.rewritten": files.opened,
            "file.kept": files.kept,
            "file.echoed": files.echoed,
            "file.prepared": files.prepared,
            "file.projected": files.projected,
            "file.found": files.found,
            "file.released": self._released,
            "log.sealed": self._quarantine.sealed,
            "log.sync_failed": self._quarantine.unsynced,
            "run.started": self._started,
            "run.output": traced.heard,
            "run.idle": traced.idle,
            "run.killing": traced.killing,
            "run.ended": traced.ended,
        }

    def batch(self, batch: Batch) -> None:
        """Apply a batch of the log."""
        sent = self._inbox.sent
        moved = self._work.sent
        apply, follow, watch = self._apply, self._work.apply, self._vigil.apply
        seen = self._vigil.seen
        # First, because an event of the same batch may explain them.
        for line in batch.damage:
            self._quarantine.damaged(line)
        for event in batch.events:
            if event.key and not self._first(event):
                continue
            seen[event.actor] = event.seq
            if event.event_type == "mail.sent":
                sent(event)
                moved(event)
                self._watched(event)
                continue
            known = apply.get(event.event_type)
            if known is not None:
                known(event)
            also = follow.get(event.event_type)
            if also is not None:
                also(event)
            heeded = watch.get(event.event_type)
            if heeded is not None:
                heeded(event)
        self._vigil.flush()
        self._inbox.flush()
        self._sources.flush()
        self._work.flush()
        self.roster.flush(self._db)

    def _watched(self, event: Event) -> None:
        data = event.data
        if event.actor == BUS or data.get("act") == ESCALATION:
            self._vigil.said(event)
        if "reply_to" in data:
            self._vigil.replied(event)

    def _delivered(self, event: Event) -> None:
        self._inbox.delivered(event)
        self._given.delivered(event)

    def _started(self, event: Event) -> None:
        self._runs.started(event)
        self._given.started(event)

    def _withdrawn(self, event: Event) -> None:
        self._inbox.withdrawn(event)
        self._sources.withdrawn(event)

    def _configured(self, event: Event) -> None:
        self.roster.configured(event)
        self._sources.configured(event)

    def _released(self, event: Event) -> None:
        self._quarantine.released(event)
        self._sources.released(event)

    def _quarantined(self, event: Event) -> None:
        self._quarantine.quarantined(event)
        self._sources.spanned(event, "quarantined")

    def _first(self, event: Event) -> bool:
        """Tell whether nobody has used this key before: a later one has no effect."""
        done = self._db.execute(
            "insert or ignore into key values (?, ?, ?)", (event.actor, event.key, event.seq)
        )
        return done.rowcount == 1


class Place:
    """How far a view has got."""

    __slots__ = ("head", "place", "seq", "whole")

    def __init__(self, db: Connection) -> None:
        """Read it from the view."""
        row = db.execute("select seq, place, head, whole from place").fetchone()
        self.seq, self.place, self.head, self.whole = row


def newest(directory: str) -> int:
    """Return the number of the newest view of our schema, 0 if there is none."""
    numbers = [0]
    for found in os.listdir(directory):
        schema, _, rest = found.partition(".")
        number, _, end = rest.partition(".")
        if schema == SCHEMA and end == "db" and number.isdecimal():
            numbers.append(int(number))
    return max(numbers)


def path_of(directory: str, number: int) -> str:
    """Return the path of a view."""
    return f"{directory}/{SCHEMA}.{number}.db"


def is_there(path: str) -> bool:
    """Tell whether there is anything; raise if it was cut off inside a page: SQLite would not notice."""
    _require_regular(path)
    try:
        size = os.lstat(path).st_size
    except FileNotFoundError:
        return False
    if size % _PAGE_BYTES:
        raise sqlite3.DatabaseError("it is cut off")
    return size > 0


def open_view(path: str, *, writing: bool) -> Connection:
    """Open a view; the busy time-out comes first, because setting the journal mode may already wait."""
    for end in ("", "-wal", "-shm"):
        _require_regular(path + end)
    if writing and not os.access(path, os.F_OK):
        _make_private(path)
    mode = "rw" if writing else "ro"
    if (
        not writing
        and not os.access(path + "-wal", os.F_OK)
        and not os.access(os.path.dirname(path), os.W_OK)
    ):
        # Nobody can change it, and SQLite cannot make the files beside it that it wants even for reading.
        mode = "ro&immutable=1"
    quoted = "".join(chr(b) if b in _PLAIN else f"%{b:02x}" for b in os.fsencode(path))
    db = sqlite3.connect(
        f"file:{quoted}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False, timeout=5.0
    )
    if writing:
        db.execute(f"pragma page_size = {_PAGE_BYTES}")
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.execute("pragma wal_autocheckpoint = 0")
    return db


def _make_private(path: str) -> None:
    """Make the file of a view: SQLite would give it, and those beside it, whatever the umask allows.

    It is closed before it has its name. Whoever closes a file lets go of all locks that the process has on
    it, those of other threads' views too; then another process takes their write-ahead log for nobody's.
    """
    fresh = f"{path}.new"
    if not _is_regular(fresh):
        os.unlink(fresh)
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    os.rename(fresh, path)


def _require_regular(path: str) -> None:
    """Raise for a symbolic link, which SQLite would follow, and for a FIFO, on which it would wait."""
    if not _is_regular(path):
        raise sqlite3.DatabaseError(f"{os.path.basename(path)} is not a regular file")


def _is_regular(path: str) -> bool:
    """Return True for a regular file, and where there is nothing yet."""
    try:
        return S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True


def file_of(db: Connection) -> str:
    """Return the path of an open view; as bytes first, because it need not be UTF-8."""
    row = db.execute("select cast(file as blob) from pragma_database_list where name = 'main'").fetchone()
    return os.fsdecode(row[0])


def trim(db: Connection, path: str, most: int = WAL_BYTES) -> None:
    """Empty the write-ahead log when it has grown: whoever opens the view first reads all of it.

    SQLite's own way forgets, between one short-lived process and the next, what it has copied already.
    If somebody is reading right now it stays as it is, until the next time.
    """
    try:
        if os.stat(path + "-wal").st_size < most:
            return
    except FileNotFoundError:
        return
    db.execute("pragma busy_timeout = 0")
    db.execute("pragma wal_checkpoint(truncate)").fetchall()
    db.execute("pragma busy_timeout = 5000")


def create(db: Connection) -> None:
    """Make the tables, in one piece; with room in memory, because a whole log comes next."""
    db.execute(f"pragma cache_size = -{_BUILDING_CACHE_KIB}")
    db.execute("begin immediate")
    for statement in _TABLES:
        db.execute(statement)
    db.execute("insert into place values (1, 0, '', '', 0)")
    db.execute("commit")


def check(db: Connection, reaches: Callable[[str], bool]) -> None:
    """Raise `Moved` if the view has got further than the log reaches: then an older log was put back."""
    [(place,)] = db.execute("select place from place")
    if not reaches(str(place)):
        raise Moved


def apply(
    db: Connection,
    batches: Batches,
    *,
    told: Callable[[Batch], None] | None = None,
    changing: Callable[[], None] | None = None,
) -> Roster | None:
    """Bring a view up to the end of the log; return the roster if it changed.

    `changing` is called before a change of the roster counts. Raise `Moved` if the log is not the one that
    the view was made from.
    """
    path = file_of(db)
    place = Place(db)
    fold: Fold | None = None
    most = WAL_BYTES if place.whole else BUILDING_WAL_BYTES
    for batch in batches(place.place):
        if not batch.follows(place.head) and not told:
            raise Moved
        db.execute("begin immediate")
        try:
            fold = fold or Fold(db)
            fold.batch(batch)
            if changing and fold.roster.changed:
                changing()
            place.head = batch.head or place.head
            place.seq = batch.last_seq or place.seq
            db.execute("update place set seq = ?, place = ?, head = ?", (place.seq, batch.end, place.head))
            db.execute("commit")
        except BaseException:
            # On a full disk SQLite has rolled back already, and would complain of that instead.
            if db.in_transaction:
                db.execute("rollback")
            raise
        trim(db, path, most)
        if told:
            told(batch)
    if not place.whole:
        _finish(db)
        trim(db, path)
    return fold.roster if fold and fold.roster.changed else None


def _finish(db: Connection) -> None:
    """Make what a view needs for answers, and call it whole."""
    db.execute("begin immediate")
    for statement in _INDEXES:
        db.execute(statement)
    db.execute("update place set whole = 1")
    db.execute("commit")
    db.execute(f"pragma cache_size = -{_CACHE_KIB}")


class Moved(Exception):
    """Raised when the log before our place is not what it was."""
