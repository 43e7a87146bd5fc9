"""Queries about single lines of foreign files: what they say, whether they were read, which come late."""

from collections.abc import Collection, Sequence

from palaver.views.query import Query, marks, whole

# How many values one query has at most.
_VALUES = 500


def held(db: Query, source: int, *, is_new: bool) -> dict[str, tuple[int, int]]:
    """Return by hash how often each piece was in a file before its last rewrite, and how often it is found.

    The log does not have a rewrite yet that is new.
    """
    rows = db.execute("select sha, now, held from piece where source = ?", (source,))
    counts = {str(sha): (whole(now), 0) if is_new else (whole(held), whole(now)) for sha, now, held in rows}
    return {sha: (before, now) for sha, (before, now) in counts.items() if before}


def said_by(db: Query, source: int, sha: str) -> int:
    """Return the event that says the same as a piece of a file, 0 if there is none."""
    rows = db.execute("select seq from piece where source = ? and sha = ?", (source, sha))
    return whole(rows[0][0]) if rows else 0


def message_ids(db: Query, source: int, shas: Collection[str]) -> list[str]:
    """Return the messages that pieces of a file say, in the order of the log."""
    rows = db.execute(
        "select piece.sha, message.id from piece join message using (seq) where source = ? order by seq",
        (source,),
    )
    return [str(message_id) for sha, message_id in rows if sha in shas]


def dropped(db: Query, mount: str, words: str) -> list[int]:
    """Return the messages that were dropped with these words and not yet seen in the log, oldest first."""
    rows = db.execute("select seq from dropped where mount = ? and words = ? order by seq", (mount, words))
    return [whole(seq) for (seq,) in rows]


def read_lines(db: Query, mount: str, lines: Sequence[str]) -> dict[str, int]:
    """Return for each of these lines the event that first said it; a line that is new has none."""
    found: dict[str, int] = {}
    for start in range(0, len(lines), _VALUES):
        some = lines[start : start + _VALUES]
        rows = db.execute(
            f"select line, seq from read_line where mount = ? and line in ({marks(len(some))})",
            (mount, *some),
        )
        found |= {str(line): whole(seq) for line, seq in rows}
    return found


def late_lines(db: Query, mount: str, limit: int) -> list[tuple[int, str, int, int]]:
    """Return the lines that files gained after they were replaced, and that are not in the new ones yet.

    Oldest first: the event, the replaced file, the offset and the length.
    """
    rows = db.execute(
        "select seq, file, offset, length from late_line where mount = ? order by seq limit ?", (mount, limit)
    )
    return [(whole(seq), str(file), whole(offset), whole(length)) for seq, file, offset, length in rows]


def late_mounts(db: Query) -> set[str]:
    """Return the mounts in which lines must still be copied from replaced files."""
    return {str(mount) for (mount,) in db.execute("select distinct mount from late_line")}


def has_late_lines(db: Query, mount: str, file: str) -> bool:
    """Return True if lines must still be copied from a replaced file."""
    return bool(db.execute("select 1 from late_line where mount = ? and file = ? limit 1", (mount, file)))
