"""What was said and done: threads, search, the events themselves."""

from collections.abc import Callable, Iterator

from palaver.bus.mail.send import find
from palaver.bus.session import Session
from palaver.log.batch import Batch
from palaver.model.errors import BadArguments, NotFound, StorageFailed
from palaver.model.event import Event
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS, ROWS, ROWS_DEFAULT
from palaver.model.message import Message, from_event
from palaver.views import replay, store
from palaver.views.mail import inbox, search
from palaver.views.mail.inbox import Delivery

_PAGE = 1_000
# Longer than any number or id of ours.
_ID_CHARS = 64


class Said:
    """A message, and what has become of it everywhere."""

    __slots__ = ("deliveries", "message", "undelivered")

    def __init__(
        self, message: Message, deliveries: list[Delivery], undelivered: list[tuple[str, str]]
    ) -> None:
        """Take the message, its deliveries, and the addresses that meant nobody, with the reason."""
        self.message = message
        self.deliveries = deliveries
        self.undelivered = undelivered

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            **self.message.plain(),
            "deliveries": [each.plain() for each in self.deliveries],
            "undelivered": [{"address": address, "why": why} for address, why in self.undelivered],
        }


def thread(core: Session, message_id: str, *, limit: int = ROWS) -> list[Said]:
    """Return the thread that a message belongs to, oldest first, with every delivery record."""
    message = find(core, message_id)
    db = core.view.current()
    said = []
    for row in inbox.threaded(db, message.thread, limit):
        event = core.said(row)
        if event is not None:
            said.append(
                Said(from_event(event), inbox.deliveries(db, row.seq), inbox.undelivered(db, row.seq))
            )
    return said


def look_for(
    core: Session, wanted: str, *, limit: int = ROWS_DEFAULT, told: Callable[[Batch], None] | None = None
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


def _rows(core: Session, wanted: str, limit: int, told: Callable[[Batch], None] | None) -> list[str]:
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


def _brought_up(core: Session, wanted: str, limit: int, told: Callable[[Batch], None] | None) -> list[str]:
    """Answer from the index as of now; make it anew if it is damaged, or of another log."""
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


def bounded(limit: int) -> None:
    """Refuse to give more rows than anybody reads, or none."""
    if not 0 < limit <= ROWS:
        raise BadArguments(f"cannot give {limit} of them", f"it must be between 1 and {ROWS}", "ask for less")


def event(core: Session, wanted: str) -> Event:
    """Return one event by its number or its id; a message's id finds the event that stored it."""
    if not wanted.isascii() or len(wanted) > _ID_CHARS:
        pass
    elif wanted.isdecimal():
        found = core.log.read(int(wanted) - 1, 1)
        if found and found[0].seq == int(wanted):
            return found[0]
    elif wanted.startswith("msg-"):
        return core.log.read(find(core, wanted).seq - 1, 1)[0]
    else:
        for each in core.log.newest_first(wanted):
            if each.event_id == wanted:
                return each
    raise NotFound(
        f"no event {wanted[:_ID_CHARS]}",
        "nothing in the log has that number or id",
        "palaver events lists them",
    )


def latest(
    core: Session, *, limit: int, event_type: str = "", actor: str = "", after: int = 0
) -> list[Event]:
    """Return the newest events that fit, oldest first; `mail.*` fits every kind of mail."""
    bounded(limit)
    family = event_type.removesuffix("*")
    found: list[Event] = []
    for each in core.log.newest_first(family):
        if each.seq <= after or len(found) == limit:
            break
        fits = each.event_type.startswith(family) if family != event_type else each.event_type == event_type
        if (fits or not event_type) and actor in ("", each.actor):
            found.append(each)
    return found[::-1]


def follow(core: Session, after: int, *, timeout: float | None = None) -> Iterator[Event]:
    """Yield every event behind a number as it comes; end when none comes for so long."""
    while True:
        page = core.log.read(after, _PAGE)
        yield from page
        if page:
            after = page[-1].seq
        elif not core.log.wait(after, timeout if timeout is not None else 3_600.0) and timeout is not None:
            return
