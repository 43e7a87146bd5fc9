"""What was odd about lines of foreign files that were recorded all the same.

The event of a line has what was found about it, so that no crash parts the two. A finding about a file as a
whole, and the count of a rule that lines of history break, are events of their own: `file.found`.
"""

from palaver.model.event import Draft, Event, number, original_file, source_of, text
from palaver.views.fold import FOUND, Fold, on
from palaver.views.query import Query, marks

_TABLES = (
    """create table finding (
        seq integer, mount text, file text, line integer, code text, message text, fix text,
        message_id text, at text, place integer, primary key (seq, place)) without rowid""",
)


_COLUMNS = ("seq", "mount", "file", "line", "code", "message", "fix", "message_id", "at")


def findings(db: Query, limit: int) -> list[dict[str, object]]:
    """Return what was odd about lines that were kept, newest first."""
    rows = db.execute(
        f"select {', '.join(_COLUMNS)} from finding order by seq desc, place desc limit ?", (limit,)
    )
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


def masked(db: Query, limit: int) -> list[dict[str, object]]:
    """Return the findings about lines that held a secret, newest first."""
    rows = db.execute(
        f"select {', '.join(_COLUMNS)} from finding where code = 'secret' "
        "order by seq desc, place desc limit ?",
        (limit,),
    )
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


def findings_of(event: Draft) -> list[dict[str, object]]:
    """Return the findings about the line, or the file, of an event."""
    if event.event_type in ("file.found", "file.quarantined"):
        return [event.data]
    found = event.data.get("found")
    return [each for each in found if type(each) is dict] if type(found) is list else []


class Findings(Fold):
    """How events add findings."""

    TABLES = _TABLES

    @on("file.found", FOUND)
    def _found(self, event: Event) -> None:
        src = source_of(event)
        file = (event.seq, text(src, "mount"), original_file(text(src, "file")))
        for place, each in enumerate(findings_of(event)):
            words = (text(each, name) for name in ("code", "message", "fix", "message_id"))
            self._db.execute(
                f"insert or ignore into finding values ({marks(len(_COLUMNS) + 1)})",
                (*file, number(each, "line"), *words, event.timestamp, place),
            )
