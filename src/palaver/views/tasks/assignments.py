"""Assignments: at most one for each agent: a work order, a mail, or a process.

The first assignment counts; a later one is ignored unless it replaces it. An assignment ends when it is
cleared. When its work is delivered or its mail is dealt with, clearing it is a pending consequence, which
`palaver` carries out.
"""

from typing import NamedTuple

from palaver.model.event import Event, flag, text, texts
from palaver.views.fold import Fold, on
from palaver.views.query import Query, marks
from palaver.views.tasks.board import Consequence

_TABLES = (
    """create table assignment (
        agent text primary key, kind text, ref text, at text, seq integer, giver text) without rowid""",
    "create index assignment_ref on assignment (ref)",
)
KINDS = ("work_order", "mail", "process")


class Assignment(NamedTuple):
    """What waits for one agent."""

    agent: str
    kind: str
    ref: str
    at: str
    seq: int
    giver: str

    @property
    def line(self) -> str:
        """Return it as the one line of an assignment file."""
        return f"{self.kind}:{self.ref}"

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "agent": self.agent,
            "ref_type": self.kind,
            "ref_id": self.ref,
            "assigned_at": self.at,
            "assigned_by": self.giver,
        }


_COLUMNS = ", ".join(Assignment._fields)


def assignment(db: Query, agent: str) -> Assignment | None:
    """Return the assignment of an agent."""
    rows = db.execute(f"select {_COLUMNS} from assignment where agent = ?", (agent,))
    return Assignment(*rows[0]) if rows else None


def assignments(db: Query) -> list[Assignment]:
    """Return all assignments, by agent."""
    return list(map(Assignment._make, db.execute(f"select {_COLUMNS} from assignment order by agent")))


class Assignments(Fold):
    """How events change assignments."""

    TABLES = _TABLES

    @on("assignment.set")
    def _assigned(self, event: Event) -> None:
        data = event.data
        agent, kind, ref = text(data, "agent").lower(), text(data, "ref_type"), text(data, "ref_id")
        if not agent or kind not in KINDS or not ref:
            return
        how = "replace" if flag(data, "replace") else "ignore"
        ref = ref.lower() if kind == "work_order" else ref
        self._db.execute(
            f"insert or {how} into assignment values (?, ?, ?, ?, ?, ?)",
            (agent, kind, ref, event.timestamp, event.seq, event.actor),
        )

    @on("assignment.cleared")
    def _cleared(self, event: Event) -> None:
        """Clear an assignment; an event that names what it clears clears nothing else."""
        self._db.execute("delete from task_due where key = ?", (event.key,))
        agent, previous = text(event.data, "agent").lower(), text(event.data, "previous_ref")
        self._db.execute(
            "delete from assignment where agent = ? and ? in ('', kind || ':' || ref)", (agent, previous)
        )

    def over(self, event: Event, task: str, holder: str, state: str) -> None:
        """Clear the assignments of a task that was delivered, or has another holder now."""
        busy = state in ("assigned", "handed", "working", "blocked", "rework", "claimed")
        self._clear(event, "work_order", task, but=holder if busy else "")

    @on("process.completed", "process.cancelled")
    def _process_over(self, event: Event) -> None:
        self._clear(event, "process", text(event.data, "process_id"))

    @on("mail.acknowledged", "mail.archived")
    def _dealt_with(self, event: Event) -> None:
        for message_id in texts(event.data, "message_ids"):
            self._clear(event, "mail", message_id, only=text(event.data, "by").lower())

    def _clear(self, event: Event, kind: str, ref: str, *, only: str | None = None, but: str = "") -> None:
        """Record that the assignments to some work must be cleared: all of them, one, or all but one."""
        agents = self._db.execute("select agent from assignment where kind = ? and ref = ?", (kind, ref))
        for (agent,) in agents.fetchall():
            if agent != but and only in (None, agent):
                owed = Consequence(
                    key=f"{event.event_id}:clear:{agent}",
                    seq=event.seq,
                    rule="clear",
                    task=f"{kind}:{ref}",
                    cause=event.event_id,
                    recipient=agent,
                    why="",
                )
                self._db.execute(f"insert or ignore into task_due values ({marks(7)})", owed)
