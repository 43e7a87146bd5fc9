"""Conversations: the thread of a message, the newest conversations, and search by words."""

from collections.abc import Callable
from dataclasses import dataclass

from palaver.bus.admin.event_history import LAST, bounded
from palaver.bus.mail.send import find
from palaver.bus.session import Session
from palaver.log.batch import EventBatch
from palaver.model.errors import BadArguments, StorageFailed
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS, ROWS, ROWS_DEFAULT
from palaver.model.message import Message, from_event
from palaver.views import replay, store
from palaver.views.mail import inbox, search, threads
from palaver.views.mail.inbox import Delivery
from palaver.views.mail.threads import Thread


@dataclass(frozen=True, slots=True)
class MessageHistory:
    """A message, its deliveries, and the addresses that reach nobody, with the reason."""

    message: Message
    deliveries: list[Delivery]
    undelivered: list[tuple[str, str]]

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            **self.message.plain(),
            "deliveries": [each.plain() for each in self.deliveries],
            "undelivered": [{"address": address, "why": why} for address, why in self.undelivered],
        }


def thread(core: Session, message_id: str, *, limit: int = ROWS) -> list[MessageHistory]:
    """Return the thread that a message belongs to, oldest first, with every delivery record."""
    message = find(core, message_id)
    db = core.view.current()
    said = []
    for row in inbox.threaded(db, message.thread, limit):
        event = core.said(row)
        if event is not None:
            said.append(
                MessageHistory(
                    from_event(event), inbox.deliveries(db, row.seq), inbox.undelivered(db, row.seq)
                )
            )
    return said


def look_for(
    core: Session, wanted: str, *, limit: int = ROWS_DEFAULT, told: Callable[[EventBatch], None] | None = None
) -> list[Message]:
    """Return the newest messages that have all the words."""
    bounded(limit)
    if not search.query(wanted):
        raise BadArguments("nothing to look for", f"{wanted[:80]!r} has no words", "give a word or two")
    try:
        rows = _rows(core, wanted, limit, told)
        found = [core.log.at(place) for place in rows]
    except store.Fault as fault:
        raise StorageFailed(
            f"cannot search in {core.root.view}", store.cause(fault), "mend it and try again"
        ) from fault
    return [from_event(event) for event in found if event is not None]


def _rows(core: Session, wanted: str, limit: int, told: Callable[[EventBatch], None] | None) -> list[str]:
    """Answer from the index as of now, or from what it holds if it cannot be brought up to that."""
    there = search.is_there(core.root.view)
    try:
        mine = core.view_lock.acquire(CATCH_UP_SECONDS if there else LOCK_SECONDS)
    except OSError as fault:
        if not there:
            raise
        rows = search.as_it_is(core.root.view, wanted, limit)
        core.view.note(f"the search index could not be brought up to date: {store.cause(fault)}")
        return rows
    if mine:
        try:
            return _brought_up(core, wanted, limit, told)
        finally:
            core.view_lock.release()
    if not there:
        raise core.view.locked()
    return search.as_it_is(core.root.view, wanted, limit)


def _brought_up(
    core: Session, wanted: str, limit: int, told: Callable[[EventBatch], None] | None
) -> list[str]:
    """Query the current search index; rebuild it first if it is damaged or belongs to another log."""
    db = search.opened(core.root.view)
    try:
        replay.check(db, core.log)
        search.apply(db, core.log)
        return search.matches(db, wanted, limit)
    except (replay.LogReplaced, *store.Broken) as fault:
        if store.is_disk(fault):
            raise
        db.close()
        search.remove(core.root.view)
        db = search.opened(core.root.view)
        search.apply(db, core.log, told=told or (lambda _: None))
        return search.matches(db, wanted, limit)
    finally:
        db.close()


def conversations(core: Session, *, before: int = 0, limit: int = 30) -> tuple[list[Thread], int]:
    """Return the conversations that end before a number, newest first, and where to go on."""
    bounded(limit)
    db = core.view.current()
    with core.view.held():
        # What is no number of an event stands behind all of them.
        return threads.threads(db, before=before if 0 < before < LAST else LAST, limit=limit)
