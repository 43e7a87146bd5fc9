"""The file of a view: SQLite, disposable, opened with care.

Files `.palaver/view/<schema>.<n>.db`, the highest n wins: no pointer, no rename. Any process may write, under
`view.lock`; readers take no lock.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from sqlite3 import Connection
from stat import S_ISREG
from urllib.parse import quote

from palaver.model.limits import VIEW_COPY_BYTES
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
_PAGE_BYTES = 4_096


def is_disk(fault: Exception) -> bool:
    """Return True if the disk is at fault: then a rebuild would fail too."""
    return isinstance(fault, OSError) or any(word in str(fault) for word in _DISK)


def cause(fault: Exception) -> str:
    """Return what went wrong, for people."""
    return (fault.strerror if isinstance(fault, OSError) else "") or str(fault)


def names(directory: str) -> list[str]:
    """Return the names of all files in the folder of the views, which may not exist yet."""
    try:
        return os.listdir(directory)
    except FileNotFoundError:
        return []


def newest(directory: str) -> int:
    """Return the number of the newest view of our schema, 0 if there is none."""
    number = 0
    for name in names(directory):
        schema, _, rest = name.partition(".")
        digits, _, end = rest.partition(".")
        if schema == SCHEMA and end == "db" and digits.isdecimal():
            number = max(number, int(digits))
    return number


def path_of(directory: str, number: int) -> str:
    """Return the path of a view."""
    return f"{directory}/{SCHEMA}.{number}.db"


def remove(path: str, ends: tuple[str, ...] = ("", "-wal", "-shm")) -> None:
    """Remove a view, and the files that SQLite keeps beside it."""
    for end in ends:
        with suppress(FileNotFoundError):
            os.unlink(path + end)


def is_there(path: str) -> bool:
    """Return True if it exists; raise if it is truncated inside a page, which SQLite would not notice."""
    size = _size(path)
    if size % _PAGE_BYTES:
        raise sqlite3.DatabaseError("it is truncated")
    return size > 0


def _size(path: str) -> int:
    """Return the size of a file, 0 if there is none.

    Raise for a symbolic link, which SQLite would follow, and for a FIFO, on which it would wait.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return 0
    if not S_ISREG(found.st_mode):
        raise sqlite3.DatabaseError(f"{os.path.basename(path)} is not a regular file")
    return found.st_size


def is_made(db: Connection) -> bool:
    """Return True if the tables exist."""
    return bool(db.execute("select 1 from sqlite_master where name = 'place'").fetchone())


def open_view(path: str, *, writing: bool) -> Connection:
    """Open a view; the busy time-out comes first, because setting the journal mode may already wait."""
    for end in ("", "-wal", "-shm"):
        _size(path + end)
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
    # The name of a folder need not be UTF-8.
    uri = f"file:{quote(os.fsencode(path))}?mode={mode}"
    db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5.0)
    if writing:
        db.execute(f"pragma page_size = {_PAGE_BYTES}")
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.execute("pragma wal_autocheckpoint = 0")
    return db


def copy_to_memory(db: Connection) -> Connection | None:
    """Return a copy of a view that needs no room on the disk; None if the view is too large for that."""
    [(size,)] = db.execute("select page_count * page_size from pragma_page_count, pragma_page_size")
    if size > VIEW_COPY_BYTES:
        return None
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    db.backup(copy)
    return copy


def _make_private(path: str) -> None:
    """Create the file of a view as private; SQLite would use the umask for it and the files beside it.

    It is closed before it gets its name: closing a file releases all locks that the process has on it, even
    those of other threads, and another process would then take their write-ahead log for abandoned.
    """
    fresh = f"{path}.new"
    remove(fresh, ("",))
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    os.rename(fresh, path)


def trim(db: Connection, most: int = WAL_BYTES) -> None:
    """Empty the write-ahead log when it has grown: the next process to open the view reads all of it.

    SQLite's own way forgets, between one short-lived process and the next, what it has copied already.
    If another process is reading right now, the log stays as it is until the next time.
    """
    # As bytes first, because the path need not be UTF-8.
    row = db.execute("select cast(file as blob) from pragma_database_list where name = 'main'").fetchone()
    try:
        if os.stat(os.fsdecode(row[0]) + "-wal").st_size < most:
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
        db.execute("insert into place values (1, 0, '', '', '', 0)")


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
