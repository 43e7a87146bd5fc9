"""Notices: messages of supervision to an agent, and every escalation, until it is dealt with.

A notice that wakes or reminds an agent is closed when it is read. An escalation must be answered,
acknowledged or archived by one of its recipients; then it is closed for all of them.
"""

from dataclasses import dataclass

from palaver.model.deadlines import StepMark
from palaver.model.event import Event, table, text, texts
from palaver.model.names import BUS
from palaver.views.fold import BY_BUS, REPLY, Fold, Folds, gist_of, on, sender_of, task_of, with_act
from palaver.views.query import Query
from palaver.views.supervision.patrol_steps import step_marks

_TABLES = (
    """create table notice (
        id text, agent text, seq integer, rule text, sender text, task text, at text, gist text, steps text,
        open integer, told integer, primary key (id, agent)) without rowid""",
    "create index notice_rule on notice (rule, seq, agent)",
    "create index notice_open on notice (open, seq)",
)
# What the patrol says to wake or remind an agent.
WAKING = ("nudge", "remind", "ping", "wake")
ESCALATION = "escalate"


@dataclass(frozen=True, slots=True)
class Notice:
    """An open notice to one agent."""

    #: The marks of its steps.
    steps: list[StepMark]
    #: Whether the command that notifies the person was run for it.
    told: bool
    id: str
    agent: str
    seq: int
    rule: str
    sender: str
    task: str
    at: str
    gist: str


def notices(db: Query) -> list[Notice]:
    """Return the open notices, oldest first."""
    rows = db.execute(
        "select steps, told, id, agent, seq, rule, sender, task, at, gist from notice where open = 1 "
        "order by seq, agent"
    )
    return [Notice(step_marks(steps.split("\n")), bool(told), *row) for steps, told, *row in rows]


def escalations(db: Query) -> list[Notice]:
    """Return the open escalations, oldest first."""
    return [notice for notice in notices(db) if notice.rule == ESCALATION]


def reminders(db: Query, since: int) -> dict[str, tuple[int, int]]:
    """Return how often each agent was reminded after an event, and at which event last."""
    rows = db.execute(
        "select agent, count(*), max(seq) from notice where rule = 'remind' and seq > ? group by agent",
        (since,),
    )
    return {agent: (count, last) for agent, count, last in rows}


class Notices(Fold):
    """How events open and close them."""

    TABLES = _TABLES

    def __init__(self, folds: Folds) -> None:
        """Start from what the database holds."""
        super().__init__(folds)
        # Most messages are about none of these, and cost nothing here.
        self._open = {row[0] for row in self._db.execute("select id from notice where open = 1")}

    @on(BY_BUS, with_act(ESCALATION))
    def _sent(self, event: Event) -> None:
        """Apply a message of the bus itself, or an escalation of any agent."""
        data, meta = event.data, table(event.data, "meta")
        rule = text(meta, "rule") if event.actor == BUS else ""
        marks = step_marks(texts(meta, "steps")) if rule else []
        if text(data, "act") == ESCALATION and rule != "told":
            rule = ESCALATION
        if rule not in (*WAKING, ESCALATION):
            return
        gist = gist_of(event)
        # Whatever name the bus has used, it is the bus that may withdraw it.
        sender = BUS if event.actor == BUS else sender_of(event)
        message_id, task = text(data, "message_id"), task_of(event)
        agents = {agent for written in texts(data, "to") for agent in self._roster.meaning(written).agents}
        for agent in sorted(agents - {sender}):
            self._open.add(message_id)
            head = (message_id, agent, event.seq, rule, sender, task, event.timestamp, gist)
            self._db.execute(
                "insert or ignore into notice values (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0)",
                (*head, "\n".join(mark.encode() for mark in marks)),
            )

    @on(REPLY)
    def _replied(self, event: Event) -> None:
        reply_to = text(event.data, "reply_to")
        if reply_to in self._open and not self._folds.policy.powerless("reply", event):
            self._close(reply_to, sender_of(event))

    @on("mail.read")
    def _read(self, event: Event) -> None:
        by = text(event.data, "reader").lower()
        for message_id in self._named(event):
            self._db.execute(
                "update notice set open = 0 where id = ? and agent = ? and rule <> ?",
                (message_id, by, ESCALATION),
            )

    @on("mail.acknowledged", "mail.archived")
    def _dealt_with(self, event: Event) -> None:
        by = text(event.data, "by").lower()
        for message_id in self._named(event):
            self._close(message_id, by)

    def _close(self, message_id: str, by: str) -> None:
        """Close a notice for all of its recipients: one of them has dealt with it."""
        self._db.execute(
            "update notice set open = 0 where id = ? and exists "
            "(select 1 from notice other where other.id = ? and other.agent = ?)",
            (message_id, message_id, by),
        )

    @on("mail.withdrawn")
    def _withdrawn(self, event: Event) -> None:
        message_id = text(event.data, "message_id")
        if message_id in self._open:
            self._db.execute(
                "update notice set open = 0 where id = ? and sender = ?", (message_id, event.actor)
            )

    @on("patrol.notified")
    def _notified(self, event: Event) -> None:
        if event.actor == BUS:
            self._db.execute("update notice set told = 1 where id = ?", (text(event.data, "message_id"),))

    def _named(self, event: Event) -> list[str]:
        return [each for each in texts(event.data, "message_ids") if each in self._open]
