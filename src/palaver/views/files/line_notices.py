"""Notices about lines of files: each is owed to its author, once for the same mistake within an hour.

Lines that were in a file before it was mounted are only counted, and the lead gets one summary.
"""

from typing import NamedTuple

from palaver.model.event import Event, number, source_of, text, texts
from palaver.model.task import is_repeat
from palaver.views.agents.policy import Policy
from palaver.views.files.findings import findings_of
from palaver.views.files.known_files import KnownFiles
from palaver.views.fold import FOUND, Fold, on, sender_of
from palaver.views.query import Query
from palaver.views.tasks.board import BACKLOG, BOUNCE, FINDING, FINDING_SEEN, is_due_again, owe

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


def broken_rule(finding: dict[str, object]) -> str:
    """Return the rule that a line breaks, or the code of what is wrong with it."""
    return text(finding, "rule") or text(finding, "code") or text(finding, "reason")


class LineNotices(Fold):
    """How events about lines make notices due."""

    TABLES = _TABLES

    @on("file.found", "file.quarantined", FOUND)
    def _judged(self, event: Event) -> None:
        src, found = source_of(event), findings_of(event)
        if number(src, "history"):
            counts = [number(each, "lines") for each in found]
            is_unreadable = event.event_type == "file.quarantined"
            odd = sum(count or 1 for count in counts)
            self._count(src, Backlog(unreadable=sum(counts)) if is_unreadable else Backlog(odd=odd))
            return
        if text(event.data, "bounce"):
            owe(self._db, event, (BOUNCE, ""), sender_of(event))
        for place, each in enumerate(found):
            author, rule = text(each, "author"), broken_rule(each)
            # With another wrong word, it is another mistake.
            mistake = f"{rule} {text(each, 'wrong')}".rstrip()
            if author and is_due_again(self._db, event, author, mistake):
                self._owe(event, place, (FINDING, rule), author)
                for other in texts(each, "others"):
                    self._owe(event, place, (FINDING_SEEN, other), other)

    def _owe(self, event: Event, place: int, about: tuple[str, str], recipient: str) -> None:
        """Add a finding to the notice about its line that is due already, or make one due."""
        joined = self._db.execute(
            "update task_due set why = why || ' ' || ? where recipient = ? and rule = ? and seq = ?",
            (place, recipient, about[0], event.seq),
        )
        if not joined.rowcount:
            owe(self._db, event, about, recipient, str(place))

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
