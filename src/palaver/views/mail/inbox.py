"""The inbox: every message, and its state for each recipient.

The rows are slim: the text stays in the log, and a row keeps its place there (docs/adr/0011). A delivery is
open until its recipient has acknowledged, answered or archived it, it was withdrawn, or another agent of the
same role took it. A reply without power leaves it open (docs/adr/0051). A message that was read and is still
open is shown again, and marked.
"""

from typing import NamedTuple

from palaver.model.event import Event, number, text, texts
from palaver.model.limits import GIST_CHARS
from palaver.model.message import PRIORITIES
from palaver.model.names import BUS
from palaver.views.fold import Fold, first_line, on, sender_of
from palaver.views.query import Query, marks, typed, whole

_TABLES = (
    """create table message (
        seq integer primary key, id text, sender text, act text, priority integer, subject text, gist text,
        thread text, reply_to text, task text, hops integer, at text, place text)""",
    """create table delivery (
        message integer, agent integer, priority integer, via text, shared integer, open integer,
        notified text, injected text, read text, acknowledged text, answered text, archived text,
        withdrawn text, taken_by text, held text, last_read text, last_read_seq integer,
        primary key (message, agent)) without rowid""",
    """create table undelivered (
        message integer, address text, why text, primary key (message, address)) without rowid""",
    "create unique index message_id on message (id)",
)
_INDEXES = (
    "create index message_thread on message (thread, seq)",
    "create index message_task on message (task, seq) where task <> ''",
    "create index delivery_open on delivery (agent, priority, message, read) where open = 1",
    "create index delivery_agent on delivery (agent, message)",
    "create index delivery_held on delivery (message) where held is not null",
)
_PRIORITY_NAMES = tuple(PRIORITIES)
_PRIORITY = {name: place for place, name in enumerate(_PRIORITY_NAMES)}
_STAGES = (
    "notified",
    "injected",
    "read",
    "acknowledged",
    "answered",
    "archived",
    "withdrawn",
    "taken_by",
    "held",
)


class MessageRow(NamedTuple):
    """A message as the view keeps it: the envelope, and where the rest is."""

    seq: int
    id: str
    sender: str
    act: str
    priority: str
    subject: str
    gist: str
    thread: str
    reply_to: str
    task: str
    hops: int
    at: str
    place: str


_MESSAGE = ", ".join(f"m.{column}" for column in MessageRow._fields)
_KINDS = tuple(MessageRow.__annotations__.values())


def _message(row: tuple[object, ...]) -> MessageRow:
    """Return the message of a row; a damaged view may hold anything."""
    rank = whole(row[4])
    priority = _PRIORITY_NAMES[rank] if 0 <= rank < len(_PRIORITY_NAMES) else "normal"
    return MessageRow._make(typed((*row[:4], priority, *row[5:]), _KINDS))


class Delivery(NamedTuple):
    """The state of a message for one recipient."""

    agent: str
    via: str
    open: bool
    #: When each stage was reached.
    stages: dict[str, str]

    @property
    def redelivered(self) -> bool:
        """Return True if it was read before and is still open."""
        return self.open and "read" in self.stages

    @property
    def is_held(self) -> bool:
        """Return True if no program takes it, because its chain is too long, and nobody has dealt with it."""
        return self.open and "held" in self.stages

    @property
    def stage(self) -> str:
        """Return how far it got."""
        for name in ("withdrawn", "taken_by", "answered", "acknowledged", "read", "injected", "notified"):
            if name in self.stages:
                return "taken" if name == "taken_by" else name
        return "stored"

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "recipient": self.agent,
            "via": self.via,
            "stage": self.stage,
            "open": self.open,
            "redelivered": self.redelivered,
            **{name: self.stages.get(name) for name in _STAGES},
        }


_DELIVERY = "d.via, d.open, " + ", ".join(f"d.{stage}" for stage in _STAGES)


def _delivery(agent: str, row: tuple[object, ...]) -> Delivery:
    """Return a delivery from its row: via, open, the stages."""
    via, is_open, *stages = row
    reached = {name: str(at) for name, at in zip(_STAGES, stages, strict=True) if at is not None}
    return Delivery(agent, agent if via is None else str(via), bool(is_open), reached)


# What a listing shows.
_SCOPES = {
    "open": "d.open = 1 order by d.priority, d.message",
    "unread": "d.open = 1 and d.read is null order by d.priority, d.message",
    "all": "1 order by d.message desc",
}


def mail(db: Query, agent_id: str, *, scope: str, limit: int) -> list[tuple[MessageRow, Delivery]]:
    """Return an agent's mail: urgent, normal, low, oldest first in each; `all` is newest first."""
    found = db.execute(
        f"select {_MESSAGE}, {_DELIVERY} from delivery d join message m on m.seq = d.message "
        f"where d.agent = (select number from agent where id = ?) and {_SCOPES[scope]} limit ?",
        (agent_id, limit),
    )
    return [(_message(row[:13]), _delivery(agent_id, row[13:])) for row in found]


def offered(db: Query, agent_id: str, before: str, limit: int) -> list[tuple[MessageRow, Delivery]]:
    """Return the mail that an agent is given next: unread mail, then what must be offered again.

    That is open mail which the agent read last before a time, or before its last program was started.
    """
    found = mail(db, agent_id, scope="unread", limit=limit)
    if len(found) == limit:
        return found
    rows = db.execute(
        f"select {_MESSAGE}, {_DELIVERY} from delivery d join message m on m.seq = d.message "
        "where d.agent = (select number from agent where id = ?) and d.open = 1 and d.read is not null "
        "and (d.last_read < ? or d.last_read_seq < (select max(seq) from agent_program where agent = ?)) "
        "order by d.last_read_seq limit ?",
        (agent_id, before, agent_id, limit - len(found)),
    )
    return found + [(_message(row[:13]), _delivery(agent_id, row[13:])) for row in rows]


def first_read(db: Query, agent_id: str, after: str) -> str:
    """Return when the next mail is to be offered again was read last; empty if there is none."""
    [(at,)] = db.execute(
        "select min(d.last_read) from delivery d where d.agent = (select number from agent where id = ?) "
        "and d.open = 1 and d.read is not null and d.last_read >= ? and d.priority >= 0",
        (agent_id, after),
    )
    return str(at or "")


def arrived(
    db: Query, agent_id: str, after: int, until: int, limit: int
) -> list[tuple[MessageRow, Delivery]]:
    """Return the unread mail of an agent that was sent after an event and not after another, oldest first."""
    found = db.execute(
        f"select {_MESSAGE}, {_DELIVERY} from delivery d join message m on m.seq = d.message "
        "where d.agent = (select number from agent where id = ?) and d.open = 1 and d.read is null "
        "and d.message > ? and d.message <= ? order by d.message limit ?",
        (agent_id, after, until, limit),
    )
    return [(_message(row[:13]), _delivery(agent_id, row[13:])) for row in found]


def counted(db: Query, agent_id: str) -> tuple[int, int]:
    """Return the counts of open and of unread messages of an agent."""
    # The condition on the priority is always true; it makes SQLite use the index of open mail alone.
    [(waiting, unread)] = db.execute(
        "select count(*), count(*) - count(d.read) from delivery d "
        "where d.agent = (select number from agent where id = ?) and d.open = 1 and d.priority >= 0",
        (agent_id,),
    )
    return (waiting, unread)


def _messages(db: Query, condition: str, values: tuple[object, ...]) -> list[MessageRow]:
    return list(map(_message, db.execute(f"select {_MESSAGE} from message m where {condition}", values)))


def found(db: Query, message_id: str) -> MessageRow | None:
    """Return the message with this id."""
    rows = _messages(db, "m.id = ?", (message_id,)) if message_id.isascii() else []
    return rows[0] if rows else None


def said_at(db: Query, second: str, limit: int) -> list[MessageRow]:
    """Return the newest messages that were sent in a second, among the last `limit` events."""
    recent = "m.seq > (select max(seq) from message) - ? and m.at >= ? and m.at < ?"
    return _messages(db, f"{recent} order by m.seq desc limit 100", (limit, second, second + "~"))


def at_seq(db: Query, seq: int) -> MessageRow | None:
    """Return the message of an event."""
    rows = _messages(db, "m.seq = ?", (seq,))
    return rows[0] if rows else None


def last_given(db: Query, task: str) -> MessageRow | None:
    """Return the last message that gave a task to an agent."""
    condition = "m.task = ? and m.act in ('assign', 'handoff') order by m.seq desc limit 1"
    rows = _messages(db, condition, (task,))
    return rows[0] if rows else None


def newest(db: Query, *, before: int, limit: int) -> list[MessageRow]:
    """Return the newest messages before an event, newest first."""
    return _messages(db, "m.seq < ? order by m.seq desc limit ?", (before, limit))


def threaded(db: Query, thread: str, limit: int) -> list[MessageRow]:
    """Return the messages of a thread, oldest first."""
    return _messages(db, "m.thread = ? order by m.seq limit ?", (thread, limit))


def alike(db: Query, piece: str, limit: int) -> list[str]:
    """Return ids that start with a prefix."""
    if not piece.isascii():
        return []
    rows = db.execute("select id from message where id >= ? and id < ? limit ?", (piece, piece + "~", limit))
    return [message_id for (message_id,) in rows]


def deliveries(db: Query, seq: int) -> list[Delivery]:
    """Return the delivery of a message to each recipient."""
    rows = db.execute(
        f"select a.id, {_DELIVERY} from delivery d join agent a on a.number = d.agent "
        "where d.message = ? order by a.id",
        (seq,),
    )
    return [_delivery(row[0], row[1:]) for row in rows]


def held(db: Query) -> list[tuple[int, str, str]]:
    """Return (number, id, agent) of the open mail that no program takes, the newest first."""
    return db.execute(
        "select m.seq, m.id, a.id from delivery d indexed by delivery_held "
        "join message m on m.seq = d.message join agent a on a.number = d.agent "
        "where d.held is not null and d.open = 1 order by m.seq desc"
    )


def undelivered(db: Query, seq: int) -> list[tuple[str, str]]:
    """Return the undeliverable addresses of a message, and why."""
    return db.execute("select address, why from undelivered where message = ? order by address", (seq,))


def lost(db: Query) -> list[str]:
    """Return the ids of the messages that reached no agent at all, newest first."""
    rows = db.execute(
        "select distinct m.seq, m.id from message m join undelivered u on u.message = m.seq where not exists "
        "(select 1 from delivery d where d.message = u.message) order by m.seq desc"
    )
    return [str(message_id) for _, message_id in rows]


_ADD_MESSAGE = f"insert or ignore into message values ({marks(len(MessageRow._fields))})"
_ADD_DELIVERY = (
    "insert or ignore into delivery (message, agent, priority, via, shared, open) values (?, ?, ?, ?, ?, 1)"
)


class Inbox(Fold):
    """How events change messages and deliveries; the rows of one batch are collected first."""

    TABLES = _TABLES
    INDEXES = _INDEXES

    @on("mail.sent")
    def _sent(self, event: Event) -> None:
        """Add a row for the message, one for each recipient, and one for each undeliverable address."""
        data, seq = event.data, event.seq
        message_id, reply_to = text(data, "message_id"), text(data, "reply_to")
        sender = sender_of(event)
        priority = _PRIORITY.get(text(data, "priority"), _PRIORITY["normal"])
        gist, subject = first_line(text(data, "body")), text(data, "subject")[:GIST_CHARS]
        head = (seq, message_id, sender, text(data, "act") or "inform", priority, subject, gist)
        thread = (event.correlation_id or message_id, reply_to, text(data, "task"), number(data, "hops"))
        self.collect(_ADD_MESSAGE, (*head, *thread, text(data, "at") or event.timestamp, event.place))
        found = self._roster.recipients(sender, texts(data, "to"))
        for agent_id, (written, kind) in found.reached.items():
            via = written if written != agent_id else None
            agent = self._roster.agents[agent_id].number
            self.collect(_ADD_DELIVERY, (seq, agent, priority, via, int(kind == "role")))
        for unreached in found.unreached:
            self.collect("insert or ignore into undelivered values (?, ?, ?)", (seq, *unreached))
        if reply_to and not self._folds.policy.powerless("reply", event):
            self._mark("answered", [reply_to], sender, event)

    @on("mail.delivered")
    def _delivered(self, event: Event) -> None:
        stage = text(event.data, "stage")
        if stage in ("notified", "injected", "held"):
            self._mark(stage, texts(event.data, "message_ids"), text(event.data, "recipient"), event)

    @on("mail.read")
    def _read(self, event: Event) -> None:
        """Record the first time that mail was read, and the last."""
        agent = self._number(text(event.data, "reader"))
        for message in self._numbers(texts(event.data, "message_ids")):
            self._db.execute(
                "update delivery set read = coalesce(read, ?), last_read = ?, last_read_seq = ? "
                "where message = ? and agent = ?",
                (event.timestamp, event.timestamp, event.seq, message, agent),
            )

    @on("mail.acknowledged")
    def _acknowledged(self, event: Event) -> None:
        """Close the mail; mail to a role belongs to the first agent that acknowledges it."""
        agent = self._number(text(event.data, "by"))
        for message in self._numbers(texts(event.data, "message_ids")):
            mine = (message, agent)
            rows = self._db.execute(
                "select via, shared from delivery where message = ? and agent = ? and taken_by is null "
                "and acknowledged is null and withdrawn is null",
                mine,
            ).fetchall()
            for via, shared in rows:
                self._db.execute(
                    "update delivery set acknowledged = ?, open = 0 where message = ? and agent = ?",
                    (event.timestamp, *mine),
                )
                if shared:
                    self._db.execute(
                        "update delivery set taken_by = ?, open = 0 "
                        "where message = ? and agent <> ? and via = ? and shared = 1",
                        (text(event.data, "by"), *mine, via),
                    )

    @on("mail.archived")
    def _archived(self, event: Event) -> None:
        self._mark("archived", texts(event.data, "message_ids"), text(event.data, "by"), event)

    @on("mail.withdrawn")
    def _withdrawn(self, event: Event) -> None:
        """Remove a message from every inbox in which it is unread."""
        for message in self._numbers([text(event.data, "message_id")]):
            self._db.execute(
                "update delivery set withdrawn = ?, open = 0 where message = ? and open = 1 and read is null "
                "and exists (select 1 from message where seq = ? and (sender = ? or ? = ?))",
                # The bus withdraws what it has sent in the name of an agent.
                (event.timestamp, message, message, event.actor, event.actor, BUS),
            )

    def _mark(self, stage: str, ids: list[str], agent_id: str, event: Event) -> None:
        """Record the first time that a stage was reached; answered and archived mail is no longer open."""
        agent = self._number(agent_id)
        closing = ", open = 0" if stage in ("answered", "archived") else ""
        for message in self._numbers(ids):
            self._db.execute(
                f"update delivery set {stage} = ?{closing} "
                f"where message = ? and agent = ? and {stage} is null",
                (event.timestamp, message, agent),
            )

    def _number(self, agent_id: str) -> int:
        agent = self._roster.agents.get(agent_id.lower())
        return agent.number if agent else 0

    def _numbers(self, ids: list[str]) -> list[int]:
        self.flush()
        rows = [self._db.execute("select seq from message where id = ?", (each,)).fetchone() for each in ids]
        return [row[0] for row in rows if row]
