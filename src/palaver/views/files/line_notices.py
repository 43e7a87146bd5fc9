"""Notices about lines of files: each is owed to its author, once for the same mistake within an hour.

Lines that were in a file before it was mounted are only counted, and the lead gets one summary.
"""

from typing import NamedTuple

from palaver.model.event import Event, number, source_of, text, texts
from palaver.model.task import is_repeat
from palaver.views.agents.policy import Policy
from palaver.views.files.known_files import KnownFiles
from palaver.views.fold import Fold, on
from palaver.views.query import Query
from palaver.views.tasks.board import BACKLOG, FINDING, FINDING_SEEN, is_due_again, owe

_TABLES = (
    """create table backlog (
        mount text primary key, unreadable integer, odd integer, idle integer) without rowid""",
)

#: The code of a line that has no effect, because the same line was read before.
LINE_TWICE = "line-twice"


class Backlog(NamedTuple):
    """How many lines of a mount were wrong when it was mounted."""

    #: Lines that could not be read, that break a rule, and that had no effect on a task.
    unreadable: int = 0
    odd: int = 0
    idle: int = 0


def backlog(db: Query, mount: str) -> Backlog:
    """Return how many lines of a mount were wrong when it was mounted."""
    rows = db.execute("select unreadable, odd, idle from backlog where mount = ?", (mount,))
    return Backlog(*rows[0]) if rows else Backlog()


def _count_idle(db: Query, mount: str) -> int:
    """Return how many lines of a mount had no effect on their task; repeats do not count."""
    rows = db.execute(
        "select act, task_move.before, why from source join piece on piece.source = source.number "
        "join task_move on task_move.seq = piece.seq where mount = ? and why <> ''",
        (mount,),
    )
    return sum(not is_repeat(*row) for row in rows)


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
            is_odd = event.event_type == "file.found"
            lines = number(data, "lines")
            self._count(src, Backlog(odd=lines or 1) if is_odd else Backlog(unreadable=lines))
        elif author:
            rule = broken_rule(event)
            # With another wrong word, it is another mistake.
            if is_due_again(self._db, event, author, f"{rule} {text(data, 'wrong')}".rstrip()):
                if not self._joins(event, FINDING, author):
                    owe(self._db, event, (FINDING, rule), author)
                for other in texts(data, "others"):
                    if not self._joins(event, FINDING_SEEN, other):
                        owe(self._db, event, (FINDING_SEEN, other), other)

    def _joins(self, event: Event, rule: str, recipient: str) -> bool:
        """Add a finding to the notice about its line that is due already; return False if there is none."""
        first = event.seq - number(event.data, "earlier")
        joined = self._db.execute(
            "update task_due set why = trim(why || ' ' || ?) "
            "where recipient = ? and rule = ? and seq >= ? and seq < ?",
            (event.seq, recipient, rule, first, event.seq),
        )
        return joined.rowcount > 0

    def _count(self, src: dict[str, object], more: Backlog) -> None:
        self._db.execute(
            "insert into backlog values (?, ?, ?, ?) on conflict (mount) do update set "
            "unreadable = unreadable + excluded.unreadable, odd = odd + excluded.odd, "
            "idle = idle + excluded.idle",
            (text(src, "mount"), *more),
        )

    @on("file.opened")
    def _history_is_complete(self, event: Event) -> None:
        """Owe the summary when all of a new mount was read: the event then names no file."""
        src = event.src or {}
        mount = text(src, "mount")
        if text(src, "file"):
            return
        self._folds.get(KnownFiles).flush()
        self._count(src, Backlog(idle=_count_idle(self._folds, mount)))
        if not any(backlog(self._folds, mount)):
            return
        owe(self._db, event, (BACKLOG, mount), Policy(self._roster).caretaker(mount))
