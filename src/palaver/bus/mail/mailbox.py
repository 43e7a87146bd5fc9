"""An agent's mail: list it, read it, acknowledge it, archive it, withdraw it.

Listing is not reading, and reading is not acknowledging: each is an event of its own. Mail that was read and
not acknowledged is listed again, marked as redelivered. It is offered again, as if it were unread, when the
program of its agent was started again, or five minutes after it was read: an agent that was killed in between
misses nothing, and one that is at work is not disturbed.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from palaver.bus.mail.send import find
from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key, MessageId, MessageIds, Peek, Rows, Scope, Speaker
from palaver.bus.operations.operation import operation, reads, writes
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.log.clock import ago, now
from palaver.log.clock import read as read_time
from palaver.model.errors import AlreadyRead, AlreadyTaken, BadArguments, NotFound, NotYours
from palaver.model.event import Event, text, texts
from palaver.model.limits import IDS, REOFFER_SECONDS, ROWS, ROWS_DEFAULT, WAIT_SECONDS
from palaver.model.message import Message, from_event
from palaver.views.mail import inbox
from palaver.views.mail.inbox import Delivery, MessageRow
from palaver.views.query import Query

_PAGE = 1_000
# How often to ask again if the view is rebuilt between two queries of one answer.
_LOOKS = 5


@dataclass(frozen=True, slots=True)
class Mail:
    """A message in an agent's inbox."""

    message: Message
    delivery: Delivery

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {**self.message.plain(), "delivery": self.delivery.plain()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What an inbox shows."""

    agent: str
    mail: list[Mail]
    #: How many are open and unread in all.
    open: int
    unread: int
    behind: bool
    notes: list[str]

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "agent": self.agent,
            "open": self.open,
            "unread": self.unread,
            "behind": self.behind,
            "messages": [each.plain() for each in self.mail],
        }


@operation(reads)
def list_inbox(
    session: Session, agent: Speaker = "", *, scope: Scope = "open", limit: Rows = ROWS_DEFAULT
) -> Listing:
    """List an agent's mail: urgent, normal, low, oldest first within each."""
    return _listing(session, agent, lambda db, who: inbox.mail(db, who, scope=scope, limit=limit))


def list_offered(session: Session, agent: str, *, limit: int) -> Listing:
    """List the mail that an agent is given next: unread mail, then what must be offered again."""
    before = _reoffered_before()
    return _listing(session, agent, lambda db, who: inbox.offered(db, who, before, limit))


def seconds_to_next_offer(session: Session, agent: str) -> float:
    """Return the seconds until mail that was read must be offered again."""
    before = _reoffered_before()
    at = inbox.first_read(session.view.current(), agent, before)
    try:
        return read_time(at) - read_time(before) if at else WAIT_SECONDS
    except (ValueError, OverflowError):
        return WAIT_SECONDS


def _reoffered_before() -> str:
    return ago(REOFFER_SECONDS)


def _listing(
    session: Session, agent: str, find_mail: Callable[[Query, str], list[tuple[MessageRow, Delivery]]]
) -> Listing:
    agent = session.speaker(agent)
    db = session.view.current()
    if not session.view.behind:
        _require_agent(session, db, agent)
    for _ in range(_LOOKS):
        number = session.view.number
        with session.view.held():
            found = find_mail(db, agent)
            counted = inbox.counted(db, agent)
        mail = _with_text(session, found)
        if number == session.view.number:
            break
        # The view was damaged and has been rebuilt meanwhile: ask again.
    opened, unread = counted
    return Listing(
        agent=agent,
        mail=mail,
        open=opened,
        unread=unread,
        behind=session.view.behind or session.sync.late,
        notes=list(session.view.notes),
    )


def arrived_mail(session: Session, agent: str, *, after: int, until: int) -> list[Mail]:
    """Return the unread mail that was sent after an event and not after another, oldest first."""
    return _with_text(session, inbox.arrived(session.view.current(), agent, after, until, ROWS))


def _read_before(session: Session, first: Event) -> list[Mail]:
    db, event = session.view.current(), keys.expect(first, "mail.read")
    return [_own(session, db, event.actor, each) for each in texts(event.data, "message_ids")]


@operation(writes, repeat=_read_before)
def read(
    session: Session, ids: MessageIds | None = None, *, peek: Peek = False, agent: Speaker = "", key: Key = ""
) -> list[Mail]:
    """Read messages and record it. Without ids, the next unread one, or else one that is offered again."""
    agent = session.speaker(agent)
    db = session.view.current()
    _require_agent(session, db, agent)
    since = db.seq
    before = _reoffered_before()
    ids = ids or [row.id for row, _ in inbox.offered(db, agent, before, 1)]
    if not ids:
        raise NotFound(
            f"nothing to read for {agent}",
            "the inbox has no unread mail",
            "palaver inbox --all shows the rest",
        )
    mail = _all_own(session, agent, ids)
    if peek:
        return mail
    at = now()
    again: set[str] = set()
    if any(each.delivery.redelivered for each in mail):
        again = {row.id for row, _ in inbox.offered(session.view.current(), agent, before, ROWS)}
    event = _record(session, mail, "read", key, again, actor=agent, at=at, reader=agent, read_at=at)
    if event is not None:
        _mark_repeats(session, agent, mail, since=since, until=event.seq)
    return mail


@operation(writes, repeat=lambda _, first: keys.ids_of(first, "mail.acknowledged"))
def acknowledge(session: Session, ids: MessageIds, *, agent: Speaker = "", key: Key = "") -> list[str]:
    """Acknowledge messages; return the ids that were not acknowledged before."""
    agent = session.speaker(agent)
    require(session, "ack", by=agent)
    mail = _all_own(session, agent, ids)
    for each in mail:
        _refuse_taken(each)
    event = _record(session, mail, "acknowledged", key, actor=agent, by=agent)
    if event is None:
        return []
    # The log's order decides which agent of a role was first.
    fresh = texts(event.data, "message_ids")
    for each in _all_own(session, agent, fresh):
        _refuse_taken(each)
    return fresh


@operation(writes, repeat=lambda _, first: keys.ids_of(first, "mail.archived"))
def archive(session: Session, ids: MessageIds, *, agent: Speaker = "", key: Key = "") -> list[str]:
    """Archive messages; return the ids that were not archived before."""
    agent = session.speaker(agent)
    require(session, "archive", by=agent)
    event = _record(session, _all_own(session, agent, ids), "archived", key, actor=agent, by=agent)
    return texts(event.data, "message_ids") if event is not None else []


def _withdrawn_before(session: Session, first: Event) -> list[str]:
    return _keepers(session, find(session, keys.field_of(first, "mail.withdrawn", "message_id")))


@operation(writes, repeat=_withdrawn_before)
def withdraw(session: Session, message_id: MessageId, *, agent: Speaker = "", key: Key = "") -> list[str]:
    """Withdraw a message from every recipient that has not read it; return the agents that have."""
    agent = session.speaker(agent)
    message = find(session, message_id)
    if message.sender != agent:
        raise NotYours(
            f"cannot withdraw {message_id}", f"{message.sender} sent it, not {agent}", "ask the sender"
        )
    require(session, "withdraw", by=agent)
    deliveries = inbox.deliveries(session.view.current(), message.seq)
    if not deliveries or any(each.open and "read" not in each.stages for each in deliveries):
        data: dict[str, object] = {"message_id": message.id, "by": agent}
        links = {"correlation_id": message.thread, "caused_by": message.event_id}
        keys.append(session, draft("mail.withdrawn", agent, data, key=key, **links))
    return _keepers(session, message)


def _keepers(session: Session, message: Message) -> list[str]:
    """Return the agents that keep a withdrawn message; refuse if no agent lost it."""
    deliveries = inbox.deliveries(session.view.current(), message.seq)
    keepers = [each.agent for each in deliveries if each.stage not in ("withdrawn", "taken")]
    if keepers and not any(each.stage == "withdrawn" for each in deliveries):
        raise AlreadyRead(
            f"cannot withdraw {message.id}", f"{', '.join(keepers)} has it already", "send a correction"
        )
    return keepers


def _record(
    session: Session,
    mail: list[Mail],
    stage: str,
    key: str,
    again: Collection[str] = (),
    *,
    actor: str,
    at: str = "",
    **fields: str,
) -> Event | None:
    """Record that mail has reached a stage, some of it again; None if it is news for no message."""
    fresh = [each.message for each in mail if stage not in each.delivery.stages or each.message.id in again]
    if not fresh:
        return None
    # An event about one message belongs to its thread; an event about several has none.
    links = {"correlation_id": fresh[0].thread, "caused_by": fresh[0].event_id} if len(fresh) == 1 else {}
    data: dict[str, object] = {"message_ids": [message.id for message in fresh], **fields}
    return keys.append(session, draft(f"mail.{stage}", actor, data, key=key, at=at, **links))


def _mark_repeats(session: Session, agent: str, mail: list[Mail], *, since: int, until: int) -> None:
    """Mark what another reader of the same name was given after our query and before our own event."""
    while since < until - 1:
        try:
            page = session.log.read(since, _PAGE)
        except OSError:
            page = []
        if not page:
            return
        since = page[-1].seq
        for event in page:
            if event.seq < until and event.event_type == "mail.read" and text(event.data, "reader") == agent:
                given = texts(event.data, "message_ids")
                for each in mail:
                    if each.message.id in given:
                        each.delivery.stages.setdefault("read", event.timestamp)


def _all_own(session: Session, agent: str, ids: list[str]) -> list[Mail]:
    """Return messages as they are in the agent's inbox, or refuse."""
    if not ids:
        raise BadArguments(
            "no message is named", "at least one is needed", "give one or more ids; palaver inbox lists them"
        )
    if len(ids) > IDS:
        raise BadArguments(f"cannot take {len(ids)} ids", f"at most {IDS} at once", "use several calls")
    db = session.view.current()
    _require_agent(session, db, agent)
    return [_own(session, db, agent, message_id) for message_id in dict.fromkeys(ids)]


def _own(session: Session, db: Query, agent: str, message_id: str) -> Mail:
    row = inbox.found(db, message_id)
    if row is None:
        # Refused, unless a file shows it under this id, or the view was behind and has caught up since.
        row = inbox.found(db, find(session, message_id).id)
        assert row is not None, "a message that was found is in the view"
    deliveries = inbox.deliveries(db, row.seq)
    for delivery in deliveries:
        if delivery.agent == agent:
            if delivery.stage == "withdrawn":
                why = f"{row.sender} withdrew it before it was read"
                raise NotFound(f"{message_id} is gone", why, f"palaver thread {message_id} shows it")
            return _with_text(session, [(row, delivery)])[0]
    session.view.insist()
    raise NotYours(
        f"{message_id} is not {agent}'s mail",
        f"it went to {', '.join(each.agent for each in deliveries) or 'nobody'}",
        f"palaver thread {message_id} shows it without marking it",
    )


def _refuse_taken(mail: Mail) -> None:
    holder = mail.delivery.stages.get("taken_by")
    if holder:
        raise AlreadyTaken(
            f"cannot acknowledge {mail.message.id}",
            f"it went to {mail.delivery.via}, and {holder} has it",
            "leave it to them",
        )


def _require_agent(session: Session, db: Query, agent: str) -> None:
    if not db.execute("select 1 from agent where id = ?", (agent,)):
        session.view.insist()
        close = session.view.roster().nearest(agent)
        hint = f"did you mean {' or '.join(close)}?" if close else f"palaver agents add {agent}"
        raise NotFound(f"no agent {agent}", "no agent has that name", hint)


def _with_text(session: Session, found: list[tuple[MessageRow, Delivery]]) -> list[Mail]:
    """Return mail with what was said, which is in the log."""
    events = session.all_said([row for row, _ in found])
    return [
        Mail(_damaged(row) if event is None else from_event(event), delivery)
        for (row, delivery), event in zip(found, events, strict=True)
    ]


def _damaged(row: MessageRow) -> Message:
    body = "(its line in the log is damaged)"
    return Message(sender=row.sender, to=[], body=body, id=row.id, seq=row.seq, at=row.at)
