"""An agent's mail: list it, read it, acknowledge it, archive it, take it back.

Listing is not reading, and reading is not acknowledging: each is an event of its own. What was read
and not acknowledged is shown again, marked as redelivered, so that a reader that died in between
misses nothing.
"""

from dataclasses import dataclass

from palaver.bus.mail.send import find
from palaver.bus.operations import keys
from palaver.bus.session import Session, draft
from palaver.log.clock import now
from palaver.model.errors import AlreadyRead, AlreadyTaken, BadArguments, NotFound, NotYours
from palaver.model.event import Draft, text, texts
from palaver.model.limits import IDS, ROWS_DEFAULT
from palaver.model.message import Message, from_event
from palaver.views.mail import inbox
from palaver.views.mail.inbox import Delivery, MessageRow
from palaver.views.query import Query

_PAGE = 1_000
# How often to look again at a view that is made anew between two questions of one answer.
_LOOKS = 5


@dataclass(frozen=True, slots=True)
class Mail:
    """A message in somebody's inbox."""

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


def list_inbox(session: Session, agent: str, *, scope: str = "open", limit: int = ROWS_DEFAULT) -> Listing:
    """Return an agent's mail: urgent, normal, low, oldest first within each."""
    db = session.view.current()
    if not session.view.behind:
        _registered(session, db, agent)
    for _ in range(_LOOKS):
        number = session.view.number
        with session.view.held():
            found = inbox.mail(db, agent, scope=scope, limit=limit)
            counted = inbox.counted(db, agent)
        mail = [_mail(session, row, delivery) for row, delivery in found]
        if number == session.view.number:
            break
        # It was damaged, and made anew while we looked: look again.
    opened, unread = counted
    return Listing(
        agent=agent,
        mail=mail,
        open=opened,
        unread=unread,
        behind=session.view.behind or session.sync.late,
        notes=list(session.view.notes),
    )


def read(session: Session, agent: str, ids: list[str], *, key: str = "") -> list[Mail]:
    """Return messages whole, and record that the agent has read them; without ids, the next one."""
    db = session.view.current()
    _registered(session, db, agent)
    [(since,)] = db.execute("select seq from place")
    if not ids:
        ids = [row.id for row, _ in inbox.mail(db, agent, scope="unread", limit=1)]
        if not ids:
            raise NotFound(
                f"nothing to read for {agent}",
                "the inbox has no unread mail",
                "palaver inbox --all shows the rest",
            )
    mail = [_mine(session, db, agent, message_id) for message_id in _bounded(ids)]
    fresh = [each.message.id for each in mail if "read" not in each.delivery.stages]
    if fresh:
        data: dict[str, object] = {"message_ids": fresh, "reader": agent, "read_at": now()}
        event = keys.append(session, draft("mail.read", agent, data, key=key, **_joined(mail, fresh)))
        _mark_repeats(session, agent, mail, since=since, until=event.seq)
    return mail


def _mark_repeats(session: Session, agent: str, mail: list[Mail], *, since: int, until: int) -> None:
    """Mark what another reader of the same name was given after we looked and before our own event."""
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


def acknowledge(session: Session, agent: str, ids: list[str], *, key: str = "") -> list[str]:
    """Record that the agent has taken the messages over; return the ids for which that is news."""
    mail = _all_mine(session, agent, ids)
    for each in mail:
        _refuse_taken(each)
    fresh = [each.message.id for each in mail if "acknowledged" not in each.delivery.stages]
    if fresh:
        data: dict[str, object] = {"message_ids": fresh, "by": agent}
        keys.append(session, draft("mail.acknowledged", agent, data, key=key, **_joined(mail, fresh)))
        # The log's order decides who of a role was first; look where we ended up.
        db = session.view.current()
        for message_id in fresh:
            _refuse_taken(_mine(session, db, agent, message_id))
    return fresh


def archive(session: Session, agent: str, ids: list[str], *, key: str = "") -> list[str]:
    """Take messages out of the agent's inbox; return the ids for which that is news."""
    mail = _all_mine(session, agent, ids)
    fresh = [each.message.id for each in mail if "archived" not in each.delivery.stages]
    if fresh:
        data: dict[str, object] = {"message_ids": fresh, "by": agent}
        keys.append(session, draft("mail.archived", agent, data, key=key, **_joined(mail, fresh)))
    return fresh


def withdraw(session: Session, agent: str, message_id: str, *, key: str = "") -> list[str]:
    """Take a message back from those who have not read it; return who had."""
    message = find(session, message_id)
    if message.sender != agent:
        raise NotYours(
            f"cannot withdraw {message_id}", f"{message.sender} sent it, not {agent}", "ask the sender"
        )
    before = inbox.deliveries(session.view.current(), message.seq)
    if before and not any(each.open and "read" not in each.stages for each in before):
        return _kept(message_id, before)
    withdrawal: Draft = draft(
        "mail.withdrawn",
        agent,
        {"message_id": message.id, "by": agent},
        correlation_id=message.thread,
        caused_by=message.event_id,
        key=key,
    )
    keys.append(session, withdrawal)
    return _kept(message_id, inbox.deliveries(session.view.current(), message.seq))


def keepers(session: Session, message_id: str) -> list[str]:
    """Return the agents that still have a withdrawn message."""
    message = find(session, message_id)
    return _kept(message_id, inbox.deliveries(session.view.current(), message.seq))


def find_all(session: Session, agent: str, ids: list[str]) -> list[Mail]:
    """Return messages of an agent's inbox by their ids."""
    db = session.view.current()
    return [_mine(session, db, agent, message_id) for message_id in ids]


def _kept(message_id: str, deliveries: list[Delivery]) -> list[str]:
    """Return who has a message in spite of its withdrawal; refuse if it was taken from nobody."""
    keepers = [each.agent for each in deliveries if each.stage not in ("withdrawn", "taken")]
    if keepers and not any(each.stage == "withdrawn" for each in deliveries):
        raise AlreadyRead(
            f"cannot withdraw {message_id}", f"{', '.join(keepers)} has it already", "send a correction"
        )
    return keepers


def _joined(mail: list[Mail], fresh: list[str]) -> dict[str, str]:
    """Return thread and cause of an event about one message; one about many has none of its own."""
    about = [each.message for each in mail if each.message.id in fresh]
    if len(about) != 1:
        return {}
    return {"correlation_id": about[0].thread, "caused_by": about[0].event_id}


def _bounded(ids: list[str]) -> list[str]:
    if len(ids) > IDS:
        raise BadArguments(f"cannot take {len(ids)} ids", f"at most {IDS} at once", "use several calls")
    return list(dict.fromkeys(ids))


def _all_mine(session: Session, agent: str, ids: list[str]) -> list[Mail]:
    if not ids:
        raise BadArguments("no message is named", "", "give one or more ids; palaver inbox lists them")
    db = session.view.current()
    _registered(session, db, agent)
    return [_mine(session, db, agent, message_id) for message_id in _bounded(ids)]


def _refuse_taken(mail: Mail) -> None:
    holder = mail.delivery.stages.get("taken_by")
    if holder:
        raise AlreadyTaken(
            f"cannot acknowledge {mail.message.id}",
            f"it went to {mail.delivery.via}, and {holder} has it",
            "leave it to them",
        )


def _registered(session: Session, db: Query, agent: str) -> None:
    if not db.execute("select 1 from agent where id = ?", (agent,)):
        session.view.insist()
        close = session.view.roster().nearest(agent)
        hint = f"did you mean {' or '.join(close)}?" if close else f"palaver agents add {agent}"
        raise NotFound(f"no agent {agent}", "nobody of that name has spoken or was added", hint)


def _mine(session: Session, db: Query, agent: str, message_id: str) -> Mail:
    """Return a message as it is in this agent's inbox, or refuse."""
    row = inbox.found(db, message_id)
    if row is None:
        # Refused; or the view was behind, and has caught up since.
        find(session, message_id)
        row = inbox.found(db, message_id)
        assert row is not None, "what was found is in the view"
    for delivery in inbox.deliveries(db, row.seq):
        if delivery.agent == agent:
            if delivery.stage == "withdrawn":
                why = f"{row.sender} withdrew it before it was read"
                raise NotFound(f"{message_id} is gone", why, f"palaver thread {message_id} shows it")
            return _mail(session, row, delivery)
    session.view.insist()
    raise NotYours(
        f"{message_id} is not {agent}'s mail",
        f"it went to {', '.join(each.agent for each in inbox.deliveries(db, row.seq)) or 'nobody'}",
        f"palaver thread {message_id} shows it without marking it",
    )


def _mail(session: Session, row: MessageRow, delivery: Delivery) -> Mail:
    event = session.said(row)
    if event is not None:
        return Mail(from_event(event), delivery)
    gone = Message(
        sender=row.sender, to=[], body="(its line in the log is damaged)", id=row.id, seq=row.seq, at=row.at
    )
    return Mail(gone, delivery)
