"""What was odd about lines of foreign files that were recorded all the same."""

from palaver.model.event import Event, number, original_file, source_of, text
from palaver.views.fold import Fold, on
from palaver.views.query import Query, marks

_TABLES = (
    """create table finding (
        seq integer primary key, mount text, file text, line integer, code text, message text, fix text,
        message_id text, at text)""",
)


_COLUMNS = ("seq", "mount", "file", "line", "code", "message", "fix", "message_id", "at")


def findings(db: Query, limit: int) -> list[dict[str, object]]:
    """Return what was odd about lines that were kept, newest first."""
    rows = db.execute(f"select {', '.join(_COLUMNS)} from finding order by seq desc limit ?", (limit,))
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


def masked(db: Query, limit: int) -> list[dict[str, object]]:
    """Return the findings about lines that held a secret, newest first."""
    rows = db.execute(
        f"select {', '.join(_COLUMNS)} from finding where code = 'secret' order by seq desc limit ?", (limit,)
    )
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


class Findings(Fold):
    """How events add findings."""

    TABLES = _TABLES

    @on("file.found")
    def _found(self, event: Event) -> None:
        data, src = event.data, source_of(event)
        place = (event.seq, text(src, "mount"), original_file(text(src, "file")), number(data, "line"))
        words = (text(data, "code"), text(data, "message"), text(data, "fix"), text(data, "message_id"))
        self._db.execute(
            f"insert or ignore into finding values ({marks(len(_COLUMNS))})",
            (*place, *words, event.timestamp),
        )
