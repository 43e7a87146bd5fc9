"""Search: every word of every message, newest first, in a database of its own.

An FTS5 index without content: it holds words and numbers, the text stays in the log (docs/adr/0011).
It has its own place in the log, and is brought up by whoever searches.
"""

import os
from _blake2 import blake2b
from collections.abc import Callable, Iterator
from sqlite3 import Connection

from palaver.model.event import flag, text
from palaver.model.stretch import Stretch
from palaver.views import store

_TABLES = (
    "create table place (one integer primary key, segment integer, offset integer, head text)",
    "create virtual table words using fts5 (subject, body, sender, content = '', tokenize = 'unicode61')",
    "create table spot (seq integer primary key, segment integer, offset integer, length integer)",
)
_FRESH = ".new"
SCHEMA = "search-" + blake2b("\n".join(_TABLES).encode(), digest_size=4).hexdigest()


def path_of(directory: str) -> str:
    """Return the path of the index."""
    return f"{directory}/{SCHEMA}.db"


def is_there(directory: str) -> bool:
    """Tell whether somebody has made the index."""
    return os.path.exists(path_of(directory))


def opened(directory: str) -> Connection:
    """Open the index, and make it if it is not there or not whole."""
    os.makedirs(directory, mode=0o700, exist_ok=True)
    path = path_of(directory)
    try:
        return _opened(path)
    except store.Broken as fault:
        if store.is_disk(fault):
            raise
        remove(directory)
        return _opened(path)


def remove(directory: str) -> None:
    """Take the index away; the next search makes it anew."""
    _removed(path_of(directory))


def fresh(directory: str) -> Connection:
    """Begin another index beside the one that is there, which goes on answering."""
    _removed(path_of(directory) + _FRESH)
    return _opened(path_of(directory) + _FRESH)


def install(directory: str, db: Connection) -> None:
    """Put an index that is finished in the place of the old one; whoever has that open keeps it."""
    db.close()
    remove(directory)
    os.rename(path_of(directory) + _FRESH, path_of(directory))


def _removed(path: str) -> None:
    for end in ("", "-wal", "-shm"):
        try:
            os.unlink(path + end)
        except FileNotFoundError:
            continue


def _opened(path: str) -> Connection:
    db = store.open_view(path, writing=True)
    if not db.execute("select 1 from sqlite_master where name = 'place'").fetchone():
        db.execute("begin immediate")
        for statement in _TABLES:
            db.execute(statement)
        db.execute("insert into place values (1, 0, 0, '')")
        db.execute("commit")
    return db


def apply(
    db: Connection, stretches: store.Stretches, *, told: Callable[[Stretch], None] | None = None
) -> None:
    """Bring the index up to the end of the log; raise `store.Moved` if it is another log."""
    path = store.file_of(db)
    segment, offset, head = db.execute("select segment, offset, head from place").fetchone()
    for stretch in stretches(segment, offset):
        if head and stretch.prev and stretch.prev != head and not told:
            raise store.Moved
        head = stretch.head or head
        put(db, path, stretch)
        if told:
            told(stretch)


def put(db: Connection, path: str, stretch: Stretch, most: int = store.WAL_BYTES) -> None:
    """Index one stretch, and note how far that is."""
    spots: list[tuple[int, int, int, int]] = []
    words: list[tuple[int, str, str, str]] = []
    for spot, said in _words(stretch):
        spots.append(spot)
        words.append(said)
    db.execute("begin immediate")
    db.executemany("insert or ignore into spot values (?, ?, ?, ?)", spots)
    db.executemany("insert into words (rowid, subject, body, sender) values (?, ?, ?, ?)", words)
    db.execute("update place set segment = ?, offset = ?", (stretch.segment, stretch.end))
    if stretch.head:
        db.execute("update place set head = ?", (stretch.head,))
    db.execute("commit")
    store.trim(db, path, most)


def _words(stretch: Stretch) -> Iterator[tuple[tuple[int, int, int, int], tuple[int, str, str, str]]]:
    for offset, length, event in stretch.rows:
        if event.event_type == "mail.sent" and not flag(event.data, "redacted"):
            said = (
                spaced(text(event.data, "subject")),
                spaced(text(event.data, "body")),
                text(event.data, "from"),
            )
            yield (event.seq, stretch.segment, offset, length), (event.seq, *said)


def as_it_is(directory: str, wanted: str, limit: int) -> list[tuple[int, int, int, int]]:
    """Answer from the index without bringing it up, while somebody else is at it."""
    db = store.open_view(path_of(directory), writing=False)
    try:
        return matches(db, wanted, limit)
    finally:
        db.close()


def query(wanted: str) -> str:
    """Return what a person typed as an FTS5 query that cannot fail.

    Words must all be there; "words in quotes" must stand together; a star at the end finds beginnings.
    """
    terms: list[str] = []
    # SQLite ends a query at its first NUL, and knows no half of a surrogate pair.
    wanted = wanted.replace("\0", " ").encode("utf-8", "replace").decode()
    for place, piece in enumerate(wanted.split('"')):
        if place % 2:
            terms.append(f'"{spaced(piece)}"' if _wordy(piece) else "")
            continue
        for word in piece.split():
            bare = word.rstrip("*")
            if _wordy(bare):
                terms.append(f'"{spaced(bare)}"' + ("*" if bare != word else ""))
    return " ".join(term for term in terms if term)


def matches(db: Connection, wanted: str, limit: int) -> list[tuple[int, int, int, int]]:
    """Return (seq, segment, offset, length) of the newest messages that have what is wanted."""
    asked = query(wanted)
    if not asked:
        return []
    rows = db.execute(
        "select s.seq, s.segment, s.offset, s.length from words join spot s on s.seq = words.rowid "
        "where words match ? order by words.rowid desc limit ?",
        (asked, limit),
    )
    return list(rows)


def spaced(words: str) -> str:
    """Set the characters of scripts that use no spaces apart, so that each can be found."""
    if words.isascii():
        return words
    return "".join(f" {c} " if c >= "\u2e80" and c.isalpha() else c for c in words)


def _wordy(piece: str) -> bool:
    return any(c.isalnum() for c in piece)
