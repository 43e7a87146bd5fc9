"""Queries about what foreign files held before, under which names, and what pieces of them say."""

from collections.abc import Collection

from palaver.views.files.known_files import KnownFile, select
from palaver.views.query import Query, whole


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


def former(db: Query, mount: str, path: str, file: str, mark: str) -> list[KnownFile]:
    """Return what a file was before: all that had its inode, and its name in other mounts of the folder."""
    return select(
        db,
        "not (mount = ? and file = ?) and (mark = ? or (file = ? "
        "and mount in (select mount from source where file = '' and mark = ?))) order by number",
        (mount, file, mark, file, path),
    )


def former_mounts(db: Query, mount: str, path: str) -> list[str]:
    """Return the other names that the folder of a mount had."""
    rows = db.execute("select mount from source where file = '' and mark = ? and mount != ?", (path, mount))
    return [str(name) for (name,) in rows]
