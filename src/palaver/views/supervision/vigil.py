"""What supervision must know: who was last active when, whose program runs, and which steps were taken.

Activity is whatever an agent does on the bus, what its program writes, and what its hooks tell. A step of the
patrol stands here once it stands in the log: for the event since which something waits, and the agent who
should move. What the patrol has said, and every escalation, stands as a word until it is dealt with.
"""

from collections.abc import Iterator
from sqlite3 import Connection

from palaver.model.event import Event, flag, number, table, text, texts
from palaver.model.limits import GIST_CHARS
from palaver.model.names import BUS
from palaver.model.step_mark import StepMark, parse_mark
from palaver.model.waits import WAITING_STATES
from palaver.views.agents.roster import Roster
from palaver.views.query import Query

TABLES = (
    "create table activity (agent text primary key, seq integer) without rowid",
    # The programs of an agent that have not ended, and the last one that has.
    """create table vigil_run (
        agent text, start text, run text, seq integer, ended integer, code integer, signal integer,
        reason text, primary key (agent, start)) without rowid""",
    """create table vigil_step (
        since integer, agent text, rule text, n integer, seq integer,
        primary key (since, agent, rule)) without rowid""",
    "create index vigil_step_rule on vigil_step (rule, seq)",
    """create table vigil_word (
        id text, agent text, seq integer, rule text, sender text, task text, at text, gist text, steps text,
        open integer, told integer, primary key (id, agent)) without rowid""",
    "create index vigil_word_rule on vigil_word (rule, seq, agent)",
    "create index vigil_word_open on vigil_word (open, seq)",
    "create table vigil_patrol (one integer primary key, seq integer)",
)
INDEXES: tuple[str, ...] = ()
# What the patrol says to wake or remind somebody: over when it is read. An escalation must be dealt with.
WAKING = ("nudge", "remind", "ping", "wake")
ESCALATION = "escalate"


class Word:
    """Something that was said by way of supervision, to one agent, and that is not dealt with."""

    __slots__ = ("agent", "at", "gist", "id", "rule", "sender", "seq", "steps", "task", "told")

    def __init__(self, row: tuple[str, str, int, str, str, str, str, str, str, int]) -> None:
        """Take a row of the table."""
        self.id, self.agent, self.seq, self.rule, self.sender, self.task, self.at, self.gist = row[:8]
        # The marks of its steps; and whether the command of a person was run for it.
        self.steps = [mark for line in row[8].split("\n") if (mark := parse_mark(line))]
        self.told = bool(row[9])

    def about(self) -> Iterator[tuple[int, str]]:
        """Yield what it is about: since which event, and who should move."""
        for mark in self.steps:
            yield mark.since, mark.agent


def words(db: Query) -> list[Word]:
    """Return all that is not dealt with, oldest first."""
    rows = db.execute(
        "select id, agent, seq, rule, sender, task, at, gist, steps, told from vigil_word where open = 1 "
        "order by seq, agent"
    )
    return [Word(row) for row in rows]


# The events since which anything lasts that a patrol could take a step for; the rest is history.
_WAITING = ", ".join(f"'{state}'" for state in WAITING_STATES)
_LASTING = f"""
    select seq from activity union all select seq from vigil_run union all select seq from assignment
    union all select seq from question where kind <> 'nudge'
    union all select seq from task where state in ({_WAITING})
    union all select seq from vigil_word where open = 1
    union all select s.since from task t cross join vigil_step s
        where t.state = 'open' and s.rule = 'release.' || t.id and s.seq = t.seq
    union all select min(opened) from task where state = 'open' union all select seq from task_claimed"""


def steps(db: Query) -> dict[tuple[int, str, str], tuple[int, int]]:
    """Return the steps that were taken for what still lasts.

    By since when, who and rule: how often, and at which event last. Asked for each thing that lasts, and not
    by reading all that was ever done: a patrol must not become slower with the years.
    """
    rows = db.execute(
        f"select s.since, s.agent, s.rule, s.n, s.seq from ({_LASTING}) o "
        "cross join vigil_step s on s.since = o.seq"
    )
    return {(since, agent, rule): (n, seq) for since, agent, rule, n, seq in rows}


def escalations(db: Query) -> list[Word]:
    """Return the escalations that nobody has dealt with, oldest first."""
    return [word for word in words(db) if word.rule == ESCALATION]


class Vigil:
    """How events change it."""

    __slots__ = ("_db", "_roster", "_standing", "apply", "seen")

    def __init__(self, db: Connection, roster: Roster) -> None:
        """Start from what the view holds."""
        self._db = db
        self._roster = roster
        # The last event of each actor in this stretch; filled by the fold, for every event.
        self.seen: dict[str, int] = {}
        self._standing = {row[0] for row in db.execute("select id from vigil_word where open = 1")}
        self.apply = {
            "run.started": self._started,
            "run.output": self._heard,
            "run.ended": self._ended,
            "agent.activity": self._heard,
            "agent.nudged": self._stepped,
            "agent.killed": self._stepped,
            "patrol.notified": self._told,
            "patrol.completed": self._patrolled,
            "mail.read": self._read,
            "mail.acknowledged": self._dealt_with,
            "mail.archived": self._dealt_with,
            "mail.withdrawn": self._withdrawn,
        }

    def flush(self) -> None:
        """Write who was active."""
        found: dict[str, int] = {}
        for actor, seq in self.seen.items():
            name = actor.lower()
            found[name] = max(seq, found.get(name, 0))
        self.seen.clear()
        found.pop(BUS, None)
        found.pop("", None)
        self._db.executemany("insert or replace into activity values (?, ?)", sorted(found.items()))

    def said(self, event: Event) -> None:
        """Apply a message of the bus itself, or an escalation of anybody."""
        meta = table(event.data, "meta")
        rule = text(meta, "rule") if event.actor == BUS else ""
        marks = self._taken(texts(meta, "steps"), event) if rule else []
        if text(event.data, "act") == ESCALATION and rule != "told":
            rule = ESCALATION
        if rule not in (*WAKING, ESCALATION):
            return
        data = event.data
        gist = (text(data, "subject") or text(data, "body"))[:GIST_CHARS].partition("\n")[0]
        # Whoever's name the bus has used, it is the bus that may take it back.
        sender = BUS if event.actor == BUS else (text(data, "from") or event.actor).lower()
        message_id = text(data, "message_id")
        agents = {agent for written in texts(data, "to") for agent in self._roster.meaning(written).agents}
        for agent in sorted(agents - {sender}):
            self._standing.add(message_id)
            self._db.execute(
                "insert or ignore into vigil_word values (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0)",
                (
                    message_id,
                    agent,
                    event.seq,
                    rule,
                    sender,
                    text(data, "task").lower(),
                    event.timestamp,
                    gist,
                    "\n".join(mark.encode() for mark in marks),
                ),
            )

    def replied(self, event: Event) -> None:
        """Apply a message that replies: an escalation that is answered is dealt with."""
        reply_to = text(event.data, "reply_to")
        if reply_to in self._standing:
            sender = (text(event.data, "from") or event.actor).lower()
            self._close(reply_to, sender)

    # --- steps ---

    def _stepped(self, event: Event) -> None:
        if event.actor == BUS:
            self._taken(texts(event.data, "steps"), event)

    def _taken(self, steps: list[str], event: Event) -> list[StepMark]:
        """Note the steps that an event is; return those that can be read."""
        marks = [mark for step in steps if (mark := parse_mark(step))]
        self._db.executemany(
            "insert or replace into vigil_step values (?, ?, ?, ?, ?)",
            [(mark.since, mark.agent, mark.rule, mark.n, event.seq) for mark in marks],
        )
        return marks

    def _patrolled(self, event: Event) -> None:
        self._db.execute("insert or replace into vigil_patrol values (1, ?)", (event.seq,))

    # --- words ---

    def _read(self, event: Event) -> None:
        by = text(event.data, "reader").lower()
        for message_id in self._those(event):
            self._db.execute(
                "update vigil_word set open = 0 where id = ? and agent = ? and rule <> ?",
                (message_id, by, ESCALATION),
            )

    def _dealt_with(self, event: Event) -> None:
        by = text(event.data, "by").lower()
        for message_id in self._those(event):
            self._close(message_id, by)

    def _close(self, message_id: str, by: str) -> None:
        """Take a word as dealt with, for all who were told: one of them has it."""
        self._db.execute(
            "update vigil_word set open = 0 where id = ? and exists "
            "(select 1 from vigil_word w where w.id = ? and w.agent = ?)",
            (message_id, message_id, by),
        )

    def _withdrawn(self, event: Event) -> None:
        message_id = text(event.data, "message_id")
        if message_id in self._standing:
            self._db.execute(
                "update vigil_word set open = 0 where id = ? and sender = ?", (message_id, event.actor)
            )

    def _told(self, event: Event) -> None:
        if event.actor == BUS:
            self._db.execute("update vigil_word set told = 1 where id = ?", (text(event.data, "message_id"),))

    def _those(self, event: Event) -> list[str]:
        return [each for each in texts(event.data, "message_ids") if each in self._standing]

    # --- programs ---

    def _started(self, event: Event) -> None:
        data = event.data
        agent = text(data, "agent").lower()
        if agent:
            self._db.execute(
                "insert or ignore into vigil_run values (?, ?, ?, ?, 0, 0, 0, '')",
                (agent, event.event_id, text(data, "run"), event.seq),
            )

    def _heard(self, event: Event) -> None:
        if not flag(data := event.data, "quiet"):
            self.seen[text(data, "agent")] = event.seq

    def _ended(self, event: Event) -> None:
        data = event.data
        agent, run, start = text(data, "agent").lower(), text(data, "run"), text(data, "start")
        which = "start = ?" if start else "run = ?"
        numbers = (number(data, "exit"), number(data, "signal"))
        done = self._db.execute(
            "update vigil_run set ended = ?, code = ?, signal = ?, reason = ? "
            f"where agent = ? and {which} and ended = 0",
            (event.seq, *numbers, text(data, "reason"), agent, start or run),
        )
        if done.rowcount:
            self._db.execute(
                "delete from vigil_run where agent = ? and ended > 0 and ended < ?", (agent, event.seq)
            )
