"""The file of a view: SQLite, disposable, opened with care.

Files `.palaver/view/<schema>.<n>.db`, the highest n wins: no pointer, no rename. Any process may write, under
`view.lock`; readers take no lock.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection
from stat import S_ISREG

from palaver.views.registry import SCHEMA, TABLES

# What SQLite raises when a view is damaged; its message may not even be UTF-8.
Broken = (sqlite3.DatabaseError, UnicodeDecodeError)
Fault = (OSError, *Broken)
# Messages of SQLite when the disk, not the file, is at fault.
_DISK = ("disk I/O error", "disk is full", "readonly", "unable to open", "locked")
WAL_BYTES = 500_000
# The same while a view is rebuilt: no reader waits for it, and many pages are written repeatedly.
BUILDING_WAL_BYTES = 64_000_000
_BUILDING_CACHE_KIB = 32_000
# The default of SQLite.
_CACHE_KIB = 2_000
_PAGE_BYTES = 4_096
# Bytes that need no escape in a file: URI; the name of a folder need not be UTF-8.
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


def is_disk(fault: Exception) -> bool:
    """Return True if the disk is at fault: then a rebuild would fail too."""
    return isinstance(fault, OSError) or any(word in str(fault) for word in _DISK)


def cause(fault: Exception) -> str:
    """Return what went wrong, for people."""
    return (fault.strerror if isinstance(fault, OSError) else "") or str(fault)


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
    """Return True if it exists; raise if it is truncated inside a page, which SQLite would not notice."""
    _require_regular(path)
    try:
        size = os.lstat(path).st_size
    except FileNotFoundError:
        return False
    if size % _PAGE_BYTES:
        raise sqlite3.DatabaseError("it is truncated")
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
        # Read-only: SQLite cannot create the files beside it that it needs even for reading.
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
    """Create the file of a view as private; SQLite would use the umask for it and the files beside it.

    It is closed before it gets its name: closing a file releases all locks that the process has on it, even
    those of other threads, and another process would then take their write-ahead log for abandoned.
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
    with transaction(db):
        for statement in TABLES:
            db.execute(statement)
        db.execute("insert into place values (1, 0, '', '', 0)")


def shrink_cache(db: Connection) -> None:
    """Give back the memory that a rebuild needed."""
    db.execute(f"pragma cache_size = -{_CACHE_KIB}")


@contextmanager
def transaction(db: Connection) -> Iterator[None]:
    """Write all of it, or nothing."""
    db.execute("begin immediate")
    try:
        yield
        db.execute("commit")
    except BaseException:
        # On a full disk SQLite has rolled back already, and would complain of that instead.
        if db.in_transaction:
            db.execute("rollback")
        raise
