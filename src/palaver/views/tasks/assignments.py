"""Assignments: at most one for each agent: a work order, a mail, or a process.

The first assignment counts; a later one is ignored unless it replaces it. A work order that is given to an
agent whose mount has assignments is assigned to it by `palaver`: at once, or when the assignment that it has
ends.

An assignment ends when it is cleared. When its work is delivered or its mail is dealt with, clearing it is a
pending consequence, which `palaver` carries out. So is that a work order comes back to the agent that still
has it: when the mail or process that took its place has ended, and when the work must be done again.
"""

from typing import NamedTuple

from palaver.model.event import Event, flag, number, text, texts
from palaver.model.names import BUS, is_name
from palaver.model.task import AT_WORK
from palaver.views.fold import Fold, on, sender_of
from palaver.views.query import Query, marks
from palaver.views.tasks.board import Consequence, owe

_TABLES = (
    """create table assignment (
        agent text primary key, kind text, ref text, at text, seq integer, giver text) without rowid""",
    "create index assignment_ref on assignment (ref)",
    # Work orders that were assigned to an agent, and not taken from it.
    "create table assigned_order (agent text, ref text, seq integer, primary key (agent, ref)) without rowid",
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


def pending_orders(db: Query, agent: str) -> list[str]:
    """Return the work orders that an agent has got and still has, except its assignment; oldest first."""
    found = db.execute(
        "select o.ref from assigned_order o join task t on t.id = o.ref and t.holder = o.agent "
        f"where o.agent = ? and t.state in ({marks(len(AT_WORK))}) order by o.seq",
        (agent, *AT_WORK),
    )
    held = assignment(db, agent)
    return [ref for (ref,) in found if held is None or held.line != f"work_order:{ref}"]


class Assignments(Fold):
    """How events change assignments."""

    TABLES = _TABLES

    @on("assignment.set")
    def _assigned(self, event: Event) -> None:
        data = event.data
        agent, kind, ref = text(data, "agent").lower(), text(data, "ref_type"), text(data, "ref_id")
        if not is_name(agent) or kind not in KINDS or not ref:
            return
        how = "replace" if flag(data, "replace") else "ignore"
        ref = ref.lower() if kind == "work_order" else ref
        self._db.execute("delete from task_due where key = ?", (event.key,))
        replaced = assignment(self._folds, agent)
        row = (agent, kind, ref, event.timestamp, event.seq, event.actor)
        if self._db.execute(f"insert or {how} into assignment values ({marks(6)})", row).rowcount != 1:
            return
        if kind == "work_order":
            if replaced is not None:
                self._db.execute(
                    "delete from assigned_order where (agent, ref) = (?, ?)", (agent, replaced.ref)
                )
            self._db.execute("insert or ignore into assigned_order values (?, ?, ?)", (agent, ref, event.seq))

    @on("assignment.cleared")
    def _cleared(self, event: Event) -> None:
        """Clear an assignment; an event that names what it clears clears nothing else."""
        self._db.execute("delete from task_due where key = ?", (event.key,))
        agent, previous = text(event.data, "agent").lower(), text(event.data, "previous_ref")
        held = assignment(self._folds, agent)
        if held is None or previous not in ("", held.line):
            return
        self._db.execute("delete from assignment where agent = ?", (agent,))
        if held.kind == "work_order" and not _is_consequence(event):
            # It was taken from the agent, not finished.
            self._db.execute("delete from assigned_order where (agent, ref) = (?, ?)", (agent, held.ref))
        self._folds.flush()
        for ref in pending_orders(self._folds, agent)[:1]:
            self._owe(event, "assign", f"work_order:{ref}", agent)

    def given(self, event: Event, task: str, holder: str) -> None:
        """Assign a task to the agent that it was given to; it is pending while that agent has other work."""
        giver = sender_of(event)
        if (
            giver == holder
            or number(event.src or {}, "history")
            or not self._folds.policy.has_assignment(holder)
        ):
            return
        self._db.execute("insert or ignore into assigned_order values (?, ?, ?)", (holder, task, event.seq))
        held = assignment(self._folds, holder)
        if held is None:
            self._owe(event, "assign", f"work_order:{task}", holder)
        elif held.line != f"work_order:{task}":
            first = held.ref if held.kind == "work_order" else held.line
            owe(self._db, event, ("pending", task), giver, f"{holder} has {first} first")

    def over(self, event: Event, task: str, holder: str, state: str) -> None:
        """Clear the assignments of a task that was delivered, or has another holder now.

        One that is to be done again comes back.
        """
        self._db.execute("delete from assigned_order where ref = ? and agent <> ?", (task, holder))
        owner = holder if state in AT_WORK else ""
        self._clear(event, "work_order", task, but=owner)
        self._db.execute(
            "delete from task_due where rule = 'assign' and task = ? and recipient <> ?",
            (f"work_order:{task}", owner),
        )
        before = self._db.execute("select 1 from assigned_order where (agent, ref) = (?, ?)", (holder, task))
        if state == "rework" and before.fetchone() and assignment(self._folds, holder) is None:
            self._owe(event, "assign", f"work_order:{task}", holder)

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
                self._owe(event, "clear", f"{kind}:{ref}", agent)

    def _owe(self, event: Event, rule: str, line: str, agent: str) -> None:
        key = f"{event.event_id}:{rule}:{agent}"
        owed = Consequence(
            key=key, seq=event.seq, rule=rule, task=line, cause=event.event_id, recipient=agent, why=""
        )
        self._db.execute(f"insert or ignore into task_due values ({marks(7)})", owed)


def _is_consequence(event: Event) -> bool:
    return event.actor == BUS and event.key != ""
