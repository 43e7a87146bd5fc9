"""Search: every word of every message, newest first, in a database of its own.

An FTS5 index without content: it holds words and numbers, the text stays in the log (docs/adr/0011).
It has its own place in the log, and is brought up to date by the next search.
"""

import os
from _blake2 import blake2b
from sqlite3 import Connection

from palaver.log.port import EventBatch, Log
from palaver.model.event import Event, flag, text
from palaver.views import store

_TABLES = (
    "create table place (one integer primary key, place text, head text)",
    "create virtual table words using fts5 (subject, body, sender, content = '', tokenize = 'unicode61')",
    "create table spot (seq integer primary key, place text)",
)
_FRESH = ".new"
SCHEMA = "search-" + blake2b("\n".join(_TABLES).encode(), digest_size=4).hexdigest()


def path_of(directory: str) -> str:
    """Return the path of the index."""
    return f"{directory}/{SCHEMA}.db"


def is_there(directory: str) -> bool:
    """Return True if the index exists."""
    return os.path.exists(path_of(directory))


def opened(directory: str) -> Connection:
    """Open the index; create it if it is missing or damaged."""
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
    """Remove the index; the next search rebuilds it."""
    store.remove(path_of(directory))


def fresh(directory: str) -> Connection:
    """Start another index beside the existing one, which stays in use."""
    path = path_of(directory) + _FRESH
    store.remove(path)
    return _opened(path)


def install(directory: str, db: Connection) -> None:
    """Replace the old index with a finished one; processes that have the old one open keep it."""
    db.close()
    remove(directory)
    os.rename(path_of(directory) + _FRESH, path_of(directory))


def _opened(path: str) -> Connection:
    db = store.open_view(path, writing=True)
    if not store.is_made(db):
        with store.transaction(db):
            for statement in _TABLES:
                db.execute(statement)
            db.execute("insert into place values (1, '', '')")
    return db


def apply(db: Connection, log: Log) -> None:
    """Bring the index up to date; raise `LogReplaced` if it is another log."""
    place, head = db.execute("select place, head from place").fetchone()
    for batch in log.batches(str(place), str(head)):
        put(db, batch)


def put(db: Connection, batch: EventBatch, most: int = store.WAL_BYTES) -> None:
    """Index one batch, and store how far that is."""
    mail = [event for event in batch.events if event.event_type == "mail.sent"]
    shown = [event for event in mail if not flag(event.data, "redacted")]
    with store.transaction(db):
        db.executemany(
            "insert or ignore into spot values (?, ?)", [(event.seq, event.place) for event in shown]
        )
        db.executemany(
            "insert into words (rowid, subject, body, sender) values (?, ?, ?, ?)",
            [(event.seq, *_words(event)) for event in shown],
        )
        head = (batch.end, batch.head)
        db.execute("update place set place = ?, head = coalesce(nullif(?, ''), head)", head)
    store.trim(db, most)


def _words(event: Event) -> tuple[str, str, str]:
    data = event.data
    return spaced(text(data, "subject")), spaced(text(data, "body")), text(data, "from")


def as_it_is(directory: str, wanted: str, limit: int) -> list[str]:
    """Search the index without updating it, while another process does that."""
    db = store.open_view(path_of(directory), writing=False)
    try:
        return matches(db, wanted, limit)
    finally:
        db.close()


def query(wanted: str) -> str:
    """Return the text that a user typed as an FTS5 query that cannot fail.

    All words must occur; "words in quotes" must be adjacent; a trailing star matches prefixes.
    """
    terms: list[str] = []
    # SQLite ends a query at the first NUL, and rejects half a surrogate pair.
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


def matches(db: Connection, wanted: str, limit: int) -> list[str]:
    """Return the places of the newest messages that match."""
    asked = query(wanted)
    if not asked:
        return []
    rows = db.execute(
        "select s.place from words join spot s on s.seq = words.rowid "
        "where words match ? order by words.rowid desc limit ?",
        (asked, limit),
    )
    return [str(place) for (place,) in rows]


def spaced(words: str) -> str:
    """Separate the characters of scripts without spaces, so that each can be found."""
    if words.isascii():
        return words
    return "".join(f" {c} " if c >= "\u2e80" and c.isalpha() else c for c in words)


def _wordy(piece: str) -> bool:
    return any(c.isalnum() for c in piece)
