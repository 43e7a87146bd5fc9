"""Assignments: at most one for each agent: a work order, a mail, or a process.

The first assignment counts; a later one is ignored unless it replaces it. An assignment ends when it is
cleared. When its work is delivered or its mail is dealt with, clearing it is a pending consequence, which
`palaver` carries out.
"""

from typing import ClassVar, NamedTuple

from palaver.model.event import Event, flag, text, texts
from palaver.views.fold import Fold, Reactions
from palaver.views.query import Query

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
    for row in db.execute(f"select {_COLUMNS} from assignment where agent = ?", (agent,)):
        return Assignment(*row)
    return None


def assignments(db: Query) -> list[Assignment]:
    """Return all assignments, by agent."""
    return list(map(Assignment._make, db.execute(f"select {_COLUMNS} from assignment order by agent")))


class Assignments(Fold):
    """How events change assignments."""

    TABLES = _TABLES

    def _assigned(self, event: Event) -> None:
        """Apply `assignment.set`."""
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

    def cleared(self, event: Event) -> None:
        """Apply `assignment.cleared`; one that names what it clears clears nothing else."""
        self._db.execute("delete from task_due where key = ?", (event.key,))
        agent, previous = text(event.data, "agent").lower(), text(event.data, "previous_ref")
        if previous:
            self._db.execute(
                "delete from assignment where agent = ? and kind || ':' || ref = ?", (agent, previous)
            )
        else:
            self._db.execute("delete from assignment where agent = ?", (agent,))

    def over(self, event: Event, task: str, holder: str, state: str) -> None:
        """Clear the assignments of a task that was delivered, or has another holder now."""
        busy = state in ("assigned", "handed", "working", "blocked", "rework", "claimed")
        for (agent,) in self._db.execute(
            "select agent from assignment where kind = 'work_order' and ref = ?", (task,)
        ).fetchall():
            if not busy or agent != holder:
                self._owe(event, agent, f"work_order:{task}")

    def process_over(self, event: Event) -> None:
        """Clear the assignments of a process that has ended."""
        process = text(event.data, "process_id")
        for (agent,) in self._db.execute(
            "select agent from assignment where kind = 'process' and ref = ?", (process,)
        ).fetchall():
            self._owe(event, agent, f"process:{process}")

    def dealt_with(self, event: Event) -> None:
        """Clear the assignment of mail that was acknowledged or archived."""
        by = text(event.data, "by").lower()
        for message_id in texts(event.data, "message_ids"):
            found = self._db.execute(
                "select 1 from assignment where agent = ? and kind = 'mail' and ref = ?", (by, message_id)
            ).fetchone()
            if found:
                self._owe(event, by, f"mail:{message_id}")

    def _owe(self, event: Event, agent: str, ref: str) -> None:
        self._db.execute(
            "insert or ignore into task_due values (?, ?, ?, ?, ?, ?, '')",
            (f"{event.event_id}:clear:{agent}", event.seq, "clear", ref, event.event_id, agent),
        )

    REACTIONS: ClassVar[Reactions] = {
        "assignment.set": _assigned,
        "assignment.cleared": cleared,
        "process.completed": process_over,
        "process.cancelled": process_over,
        "mail.acknowledged": dealt_with,
        "mail.archived": dealt_with,
    }
