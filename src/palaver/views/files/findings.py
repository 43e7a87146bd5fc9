"""What was odd about lines of foreign files that were recorded all the same."""

from palaver.model.event import Event, number, table, text
from palaver.views.fold import Fold, on
from palaver.views.query import Query

_TABLES = (
    """create table finding (
        seq integer primary key, mount text, file text, line integer, code text, message text, fix text,
        at text)""",
)


def findings(db: Query, limit: int) -> list[dict[str, object]]:
    """Return what was odd about lines that were kept, newest first."""
    rows = db.execute(
        "select seq, mount, file, line, code, message, fix, at from finding order by seq desc limit ?",
        (limit,),
    )
    names = ("seq", "mount", "file", "line", "code", "message", "fix", "at")
    return [dict(zip(names, row, strict=True)) for row in rows]


class Findings(Fold):
    """How events add findings."""

    TABLES = _TABLES

    @on("file.found")
    def _found(self, event: Event) -> None:
        data, src = event.data, event.src or table(event.data, "src")
        words = [text(data, name) for name in ("code", "message", "fix")]
        self._db.execute(
            "insert or ignore into finding values (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(event.seq, text(src, "mount"), text(src, "file"), number(data, "line")),
                *(*words, event.timestamp),
            ),
        )
