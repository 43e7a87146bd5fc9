"""Notices about lines of files: each is owed to its author, once for the same mistake within an hour.

Lines that were in a file before it was mounted are only counted, and the lead gets one summary.
"""

from palaver.model.event import Event, number, source_of, text, texts
from palaver.views.agents.policy import Policy
from palaver.views.fold import Fold, on
from palaver.views.query import Query
from palaver.views.tasks.board import BACKLOG, FINDING, FINDING_SEEN, owe, owe_once

_TABLES = ("create table backlog (mount text primary key, unreadable integer, odd integer) without rowid",)


def backlog(db: Query, mount: str) -> tuple[int, int]:
    """Return how many lines of a mount were unreadable, and how many were odd, when it was mounted."""
    for unreadable, odd in db.execute("select unreadable, odd from backlog where mount = ?", (mount,)):
        return unreadable, odd
    return 0, 0


def broken_rule(event: Event) -> str:
    """Return the rule that a line breaks, or the code of what is wrong with it."""
    return text(event.data, "rule") or text(event.data, "code") or text(event.data, "reason")


class LineNotices(Fold):
    """How events about lines make notices due."""

    TABLES = _TABLES

    @on("file.found", "file.quarantined")
    def _judged(self, event: Event) -> None:
        data, src = event.data, source_of(event)
        author = text(data, "author")
        if number(src, "history"):
            self._count(text(src, "mount"), event)
        elif author:
            rule = broken_rule(event)
            if owe_once(self._db, event, (FINDING, rule), author, mistake=rule):
                for other in texts(data, "others"):
                    owe(self._db, event, (FINDING_SEEN, other), other)

    def _count(self, mount: str, event: Event) -> None:
        unreadable = number(event.data, "lines") if event.event_type == "file.quarantined" else 0
        self._db.execute(
            "insert into backlog values (?, ?, ?) on conflict (mount) do update set "
            "unreadable = unreadable + excluded.unreadable, odd = odd + excluded.odd",
            (mount, unreadable, int(event.event_type == "file.found")),
        )

    @on("file.opened")
    def _history_is_complete(self, event: Event) -> None:
        """Owe the summary when all of a new mount was read: the event then names no file."""
        mount = text(event.src or {}, "mount")
        if text(event.src or {}, "file") or not any(backlog(self._folds, mount)):
            return
        owe(self._db, event, (BACKLOG, mount), Policy(self._roster).caretaker(mount))
