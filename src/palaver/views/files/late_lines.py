"""Lines that a file gained after it was replaced, and that are not in the new file yet."""

from sqlite3 import Connection

from palaver.views.query import Query, whole

TABLES = (
    """create table late_line (
        mount text, file text, offset integer, length integer, seq integer,
        primary key (mount, file, offset)) without rowid""",
)


def lines(db: Query, mount: str, limit: int) -> list[tuple[int, str, int, int]]:
    """Return the lines that must still be copied, oldest first: the event, the replaced file, the place."""
    rows = db.execute(
        "select seq, file, offset, length from late_line where mount = ? order by seq limit ?", (mount, limit)
    )
    return [(whole(seq), str(file), whole(offset), whole(length)) for seq, file, offset, length in rows]


def has_lines(db: Query, mount: str, file: str = "") -> bool:
    """Return True if lines must still be copied from a replaced file, or from any of a mount."""
    return bool(
        db.execute("select 1 from late_line where mount = ? and ? in ('', file) limit 1", (mount, file))
    )


# --- what events do to it ---


def add(db: Connection, row: tuple[str, str, int, int, int]) -> None:
    """Note a line of a replaced file, by mount, file, offset, length and event: the new file must have it."""
    db.execute("insert or ignore into late_line values (?, ?, ?, ?, ?)", row)


def forget(db: Connection, mount: str, data: dict[str, object]) -> None:
    """Forget the lines that were found in the new file, or cannot be copied."""
    seqs = data.get("carried")
    if type(seqs) is list:
        db.executemany("delete from late_line where mount = ? and seq = ?", [(mount, seq) for seq in seqs])
