"""The board: every task, its holder, what it needs, and every attempted move.

A task is ready when it is open and everything it needs is done. An ignored move is kept with the reason. The
consequences of a move are in `task_due` until `palaver` has sent them. `moves.py` has how events change this.
"""

from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from sqlite3 import Connection
from typing import NamedTuple

from palaver.model.event import Event, number
from palaver.model.names import BUS
from palaver.model.task import COLUMNS, LEASED, Task
from palaver.views.query import Query, marks, typed

TABLES = (
    """create table task (
        id text primary key, title text, about text, state text, holder text, owner text, giver text,
        checker text, kind text, priority integer, difficulty integer, level integer, restricted text,
        approval integer, "check" integer, lease integer, fence integer, opened integer, seq integer, at text,
        since text, touched text, heard integer, result text, reason text) without rowid""",
    "create table task_need (task text, needs text, primary key (task, needs)) without rowid",
    """create table task_move (
        seq integer primary key, task text, at text, actor text, act text, before text, after text, why text,
        message text, gist text)""",
    """create table task_due (
        key text primary key, seq integer, rule text, task text, cause text, recipient text,
        why text) without rowid""",
    # When each agent was last told of a mistake.
    "create table told (agent text, mistake text, at text, primary key (agent, mistake)) without rowid",
    # The last claim or delivery of each agent, counted or ignored.
    "create table task_claimed (agent text primary key, seq integer) without rowid",
    # Names that a question was about, and no task.
    "create table topic (name text primary key) without rowid",
    "create table level (agent text primary key, level integer) without rowid",
    # The fold itself uses them, so they cannot be created at the end of a rebuild.
    "create index task_holder on task (holder, opened) where holder <> ''",
    "create index task_needed on task_need (needs)",
)
INDEXES = (
    "create index task_state on task (state, id)",
    "create index task_moves on task_move (task, seq)",
)
_KINDS = [int if field.type in (int, bool) else str for field in fields(Task)]
_TASK = ", ".join(f't."{column}"' for column in COLUMNS)
_READY = (
    "t.state = 'open' and not exists (select 1 from task_need n left join task b on b.id = n.needs "
    "where n.task = t.id and coalesce(b.state, '') <> 'done')"
)
# More digits than these are compared as they are written.
_DIGITS = 9
# The columns of a board, and the states in each.
BOARD = {
    "Waiting": ("open",),
    "Ready": ("open",),
    "Claimed": ("claimed", "assigned", "handed"),
    "Working": ("working", "rework"),
    "Blocked": ("blocked",),
    "Checking": ("delivered", "checking"),
    "Done": ("done", "cancelled"),
}


_COLUMNS = {state: name for name, states in BOARD.items() for state in states}


class Card(NamedTuple):
    """A task with what it waits for: how a board shows it."""

    task: Task
    #: The state of each task that it needs; empty for a task that no agent has opened.
    needs: dict[str, str]

    @property
    def waits_for(self) -> list[str]:
        """Return the needed tasks that are not done."""
        return [needed for needed, state in self.needs.items() if state != "done"]

    @property
    def ready(self) -> bool:
        """Return True if an agent may take it."""
        return self.task.state == "open" and not self.waits_for

    @property
    def column(self) -> str:
        """Return its column on a board."""
        if self.task.state == "open":
            return "Ready" if self.ready else "Waiting"
        return _COLUMNS[self.task.state]

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            **self.task.plain(),
            "ready": self.ready,
            "needs": list(self.needs),
            "waits_for": self.waits_for,
        }


class MoveAttempt(NamedTuple):
    """A move that an agent tried, and its outcome: `why` says why it was ignored."""

    seq: int
    task: str
    at: str
    actor: str
    act: str
    before: str
    after: str
    why: str
    message: str
    gist: str

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        return {**self._asdict(), "effect": not self.why}


# The rule of the notice to the other side of a broken rule.
SEEN = "broken-seen"
# Rules of notices about a line of a file: to its author, to others that must know, and about a new mount.
# The `why` of the first two has the places of the findings in the event of the line.
FINDING = "finding"
FINDING_SEEN = "finding-seen"
BACKLOG = "backlog"
# The notice to the sender of a line that an address in it matches no agent.
BOUNCE = "undeliverable"


class Consequence(NamedTuple):
    """A pending consequence of an event: `palaver` has not sent it yet."""

    key: str
    seq: int
    rule: str
    task: str
    cause: str
    recipient: str
    why: str


_MOVE = ", ".join(MoveAttempt._fields)


def from_row(row: Sequence[object]) -> Task:
    """Return the task of a row."""
    task = Task(*typed(row, _KINDS))
    task.approval, task.check = bool(task.approval), bool(task.check)
    return task


def _tasks(db: Query, condition: str, values: tuple[object, ...]) -> list[Task]:
    return [from_row(row) for row in db.execute(f"select {_TASK} from task t where {condition}", values)]


def task(db: Query, task_id: str) -> Task | None:
    """Return a task by its id."""
    found = _tasks(db, "t.id = ?", (task_id.lower(),))
    return found[0] if found else None


def padded_id(db: Query, task_id: str) -> str:
    """Return the only known id that is the same number with other leading zeros; else the id itself."""
    if not (task_id.isascii() and task_id.isdecimal() and len(task_id) <= _DIGITS):
        return task_id
    number = task_id.lstrip("0") or "0"
    forms = tuple(number.zfill(digits) for digits in range(len(number), _DIGITS + 1))
    found = [
        str(known) for (known,) in db.execute(f"select id from task where id in ({marks(len(forms))})", forms)
    ]
    return found[0] if len(found) == 1 else task_id


def card(db: Query, found: Task) -> Card:
    """Return a task with what it needs."""
    rows = db.execute(
        "select n.needs, coalesce(b.state, '') from task_need n left join task b on b.id = n.needs "
        "where n.task = ? order by n.needs",
        (found.id,),
    )
    return Card(found, dict(rows))


def cards(
    db: Query, *, states: tuple[str, ...] = (), holder: str = "", owner: str = "", ready: bool = False
) -> list[Card]:
    """Return the matching tasks, the most urgent first, then the oldest."""
    wanted = [f"t.state in ({marks(len(states))})"] if states else []
    wanted += ["t.holder = ?"] * bool(holder) + ["t.owner = ?"] * bool(owner) + [_READY] * ready
    values = (*states, *filter(None, (holder, owner)))
    fits = " and ".join(wanted) or "1"
    found = _tasks(db, f"{fits} order by t.priority, t.opened, t.id", values)
    needs: dict[str, dict[str, str]] = {}
    for task_id, needed, state in db.execute(
        "select n.task, n.needs, coalesce(b.state, '') from task t cross join task_need n on n.task = t.id "
        f"left join task b on b.id = n.needs where {fits} order by n.task, n.needs",
        values,
    ):
        needs.setdefault(task_id, {})[needed] = state
    return [Card(each, needs.get(each.id, {})) for each in found]


def newest(db: Query, states: tuple[str, ...], limit: int) -> list[Task]:
    """Return the tasks in some states that moved last, newest first: enough for an overview."""
    return _tasks(db, f"t.state in ({marks(len(states))}) order by t.seq desc limit ?", (*states, limit))


def with_words(db: Query, words: list[str], limit: int) -> list[Task]:
    """Return the tasks with all the words, or parts of words, in id or title; the last moved first."""
    # SQLite lowers ASCII letters only, so each word is also searched as it was typed.
    has = "(instr(lower(t.id || ' ' || t.title), ?) or instr(t.title, ?))"
    condition = f"{' and '.join([has] * len(words)) or '0'} order by t.seq desc, t.id limit ?"
    return _tasks(db, condition, (*(form for word in words for form in (word.lower(), word)), limit))


def held(db: Query, holder: str, states: tuple[str, ...], limit: int) -> list[Task]:
    """Return the tasks of a holder, the last moved first."""
    condition = f"t.holder = ? and t.holder <> '' and t.state in ({marks(len(states))}) order by t.seq desc"
    return _tasks(db, f"{condition} limit ?", (holder, *states, limit))


def needed_by(db: Query, task_id: str) -> list[str]:
    """Return the tasks that need a task."""
    return [str(task) for (task,) in db.execute("select task from task_need where needs = ?", (task_id,))]


def _attempts(db: Query, condition: str, value: object) -> list[MoveAttempt]:
    rows = db.execute(f"select {_MOVE} from task_move where {condition}", (value,))
    return list(map(MoveAttempt._make, rows))


def tried(db: Query, task_id: str) -> list[MoveAttempt]:
    """Return every move of a task, in order."""
    return _attempts(db, "task = ? order by seq", task_id)


def attempt(db: Query, seq: int) -> MoveAttempt | None:
    """Return the attempted move of an event."""
    found = _attempts(db, "seq = ?", seq)
    return found[0] if found else None


def since(db: Query, seq: int) -> list[MoveAttempt]:
    """Return every attempted move after an event, in order."""
    return _attempts(db, "seq > ? order by seq limit 1000", seq)


def changed(db: Query) -> dict[str, str]:
    """Return when each task was last moved or changed since it was opened."""
    rows = db.execute(
        "select task, at, max(seq) from task_move where why = '' and act <> 'open' group by task"
    )
    return {str(task_id): str(at) for task_id, at, _ in rows}


def concerns_question(db: Connection, name: str, act: str) -> bool:
    """Return True if a message about no known task asks a question, or acknowledges one."""
    if act == "ask":
        db.execute("insert or ignore into topic values (?)", (name,))
        return True
    return act == "ack" and db.execute("select 1 from topic where name = ?", (name,)).fetchone() is not None


def is_live(event: Event) -> bool:
    """Return True if an agent sent it, and not before the file was mounted: history has no consequences."""
    return event.actor != BUS and not number(event.src or {}, "history")


def owe(db: Connection, event: Event, about: tuple[str, str], recipient: str, why: str = "") -> None:
    """Record one consequence, of a rule and a task; its key is made from its cause, so it is sent once."""
    if not recipient or recipient == BUS:
        return
    key = ":".join((event.event_id, *about))
    row = Consequence(key, event.seq, *about, event.event_id, recipient, why)
    db.execute("insert or ignore into task_due values (?, ?, ?, ?, ?, ?, ?)", row)


def owe_once(
    db: Connection, event: Event, about: tuple[str, str], author: str, why: str = "", *, mistake: str = ""
) -> bool:
    """Record a notice about a mistake; return False if its author was told of the same one within the hour.

    The same mistake is the same rule, unless `mistake` says more precisely what it is: a move without effect
    for another reason is another mistake, because its author may have done what it was told.
    """
    is_due = is_due_again(db, event, author, mistake or about[0])
    if is_due:
        owe(db, event, about, author, why)
    return is_due


def is_due_again(db: Connection, event: Event, author: str, mistake: str) -> bool:
    """Return True if an author is to be told of a mistake now, and note that: once within the hour."""
    told = db.execute(
        "insert into told values (?, ?, ?) on conflict (agent, mistake) do update set at = excluded.at "
        "where julianday(excluded.at) - julianday(told.at) >= 1.0 / 24",
        (author, mistake, event.timestamp),
    )
    return told.rowcount == 1


def due(db: Query, limit: int) -> list[Consequence]:
    """Return the pending consequences, oldest first."""
    rows = db.execute(
        "select key, seq, rule, task, cause, recipient, why from task_due order by seq, key limit ?", (limit,)
    )
    return list(map(Consequence._make, rows))


def alike(db: Query, wanted: str) -> list[str]:
    """Return the ids closest to a misspelt one."""
    known = [task_id for (task_id,) in db.execute("select id from task order by opened desc limit 1000")]
    return get_close_matches(wanted.lower(), known, n=3, cutoff=0.6)


def cycle(db: Query, task_id: str, needs: list[str]) -> list[str]:
    """Return the path of the cycle that these needs would close, empty if there is none."""
    came: dict[str, str] = {}
    waiting = []
    for needed in needs:
        if needed == task_id:
            return [task_id, task_id]
        came.setdefault(needed, task_id)
        waiting.append(needed)
    while waiting:
        at = waiting.pop()
        for (further,) in db.execute("select needs from task_need where task = ?", (at,)):
            if further == task_id:
                way = [task_id, at]
                while way[-1] != task_id:
                    way.append(came[way[-1]])
                return way[::-1]
            if further not in came:
                came[further] = at
                waiting.append(further)
    return []


def leased_by(db: Query, agent: str) -> list[str]:
    """Return the tasks that an agent holds, and must not abandon."""
    condition = f"holder = ? and holder <> '' and state in ({marks(len(LEASED))})"
    rows = db.execute(f"select id from task where {condition} order by id", (agent, *LEASED))
    return [str(task) for (task,) in rows]


def level_of(db: Query, agent: str) -> int:
    """Return the level of an agent, 0 if it has none."""
    rows = db.execute("select level from level where agent = ?", (agent,))
    return int(rows[0][0]) if rows else 0
