"""Conversations: the thread of a message, the newest conversations, and search by words."""

from dataclasses import dataclass
from typing import NamedTuple

from palaver.bus.admin.event_history import LAST
from palaver.bus.mail.send import find
from palaver.bus.operations.fields import Before, MessageId, Rows, Words
from palaver.bus.operations.operation import inspects, operation, reads
from palaver.bus.session import Session
from palaver.files.regular import way_out
from palaver.log.port import LogReplaced
from palaver.model.errors import BadArguments, StorageFailed
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS, ROWS, ROWS_DEFAULT
from palaver.model.masking.masks import clip
from palaver.model.message import Message, from_event
from palaver.views import store
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


class ConversationPage(NamedTuple):
    """Some conversations, newest first, and the number before which the next page starts (0: none)."""

    conversations: list[Thread]
    older: int

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"conversations": [each.plain() for each in self.conversations], "older": self.older}


@operation(reads)
def thread(core: Session, message_id: MessageId) -> list[MessageHistory]:
    """Return the conversation of a message, with every delivery record."""
    message = find(core, message_id)
    db = core.view.current()
    rows = inbox.threaded(db, message.thread, ROWS)
    return [
        MessageHistory(from_event(event), inbox.deliveries(db, row.seq), inbox.undelivered(db, row.seq))
        for row, event in zip(rows, core.all_said(rows), strict=True)
        if event is not None
    ]


@operation(reads)
def search_messages(core: Session, wanted: Words, *, limit: Rows = ROWS_DEFAULT) -> list[Message]:
    """Find the newest messages that contain all the words."""
    if not search.query(wanted):
        raise BadArguments("nothing to look for", f"{clip(wanted, 80)!r} has no words", "give a word or two")
    try:
        found = core.log.events_at(_rows(core, wanted, limit))
    except store.Fault as fault:
        raise StorageFailed(
            f"cannot search in {core.root.view}", store.cause(fault), way_out(fault)
        ) from fault
    return [from_event(event) for event in found if event is not None]


def _rows(core: Session, wanted: str, limit: int) -> list[str]:
    """Query the current search index, or the index as it is if it cannot be brought up to date."""
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
            return _current_rows(core, wanted, limit)
        finally:
            core.view_lock.release()
    if not there:
        raise core.view.locked()
    return search.as_it_is(core.root.view, wanted, limit)


def _current_rows(core: Session, wanted: str, limit: int) -> list[str]:
    """Query the current search index; rebuild it first if it is damaged or belongs to another log."""
    db = search.opened(core.root.view)
    try:
        search.apply(db, core.log)
        return search.matches(db, wanted, limit)
    except (LogReplaced, *store.Broken) as fault:
        if store.is_disk(fault):
            raise
        db.close()
        search.remove(core.root.view)
        db = search.opened(core.root.view)
        search.apply(db, core.log)
        return search.matches(db, wanted, limit)
    finally:
        db.close()


@operation(inspects)
def conversations(core: Session, *, before: Before = 0, limit: Rows = 30) -> ConversationPage:
    """Return a page of conversations, newest first."""
    db = core.view.current()
    with core.view.held():
        return ConversationPage(*threads.threads(db, before=before or LAST, limit=limit))
