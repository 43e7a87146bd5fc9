"""The events of the log: one of them, the newest that match, a page at a time, or as they come.

A page looks at a bounded number of bytes. Where it ends before it is full, `older` says where to go on, so
that a rare word in a large log costs many small queries and no long one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palaver.bus.mail import send
from palaver.bus.operations.fields import Actor, After, Before, EventId, EventType, Rows, Words
from palaver.bus.operations.operation import inspects, operation, reads
from palaver.bus.operations.result import PlainFields
from palaver.bus.session import Session
from palaver.model.errors import NotFound
from palaver.model.event import Event, text
from palaver.model.limits import ID_CHARS, SCAN_BYTES, WAIT_SECONDS
from palaver.views.files import quarantine

_PAGE = 1_000
# More than any number of an event has.
_DIGITS = 18
#: More than any log has.
LAST = 1 << 62
Timeout = Annotated[
    float, Meta(description="end after so many seconds without an event", ge=0, le=WAIT_SECONDS)
]


@dataclass(frozen=True, slots=True)
class EventPage(PlainFields):
    """Some events, newest first, and the number before which the next page starts; 0 if there is none."""

    events: list[Event]
    older: int


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are wanted: of a type or a family such as `mail.*`, by an actor, with all the words."""

    event_type: str = ""
    actor: str = ""
    words: str = ""

    @property
    def pieces(self) -> list[str]:
        """Return texts that the record of every match contains; a record without them is never decoded."""
        # Not the words: in a record they may be escaped, or in capitals.
        return [piece for piece in (self._family, self.actor.lower()) if piece.isascii()]

    @property
    def _family(self) -> str:
        return self.event_type.removesuffix("*")

    def matches(self, event: Event) -> bool:
        """Return True if the event is wanted."""
        is_family = self.event_type != self._family
        fits = event.event_type.startswith(self._family) if is_family else event.event_type == self.event_type
        if (self.event_type and not fits) or self.actor.lower() not in ("", event.actor):
            return False
        words = self.words.lower().split()
        content = "\n".join(_texts(event.plain())).lower() if words else ""
        return all(word in content for word in words)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _texts(inner)]
    return [str(value)]


@operation(reads)
def find_event(session: Session, wanted: EventId) -> Event:
    """Return one event by its number or id."""
    for search in (_numbered, _named, _quarantined):
        if found := search(session, wanted):
            return found
    try:
        found = session.log.event(send.find(session, wanted).seq)
    except NotFound as missing:
        raise NotFound(
            f"no event {wanted[:ID_CHARS]}", "nothing in the log has that number or id", missing.way_out
        ) from missing
    assert found is not None, "the message of an event was found"
    return found


def _numbered(session: Session, wanted: str) -> Event | None:
    is_number = wanted.isascii() and wanted.isdecimal() and len(wanted) <= _DIGITS
    return session.log.event(int(wanted)) if is_number else None


def _named(session: Session, wanted: str) -> Event | None:
    if not wanted.startswith("evt-") or len(wanted) > ID_CHARS:
        return None
    return next((each for each in session.log.newest_first(wanted) if each.event_id == wanted), None)


def _quarantined(session: Session, wanted: str) -> Event | None:
    found = quarantine.item(session.view.current(), wanted)
    return session.log.event(found.seq) if found is not None and found.seq else None


@operation(reads)
def latest(
    session: Session, *, limit: Rows = 50, event_type: EventType = "", actor: Actor = "", after: After = 0
) -> list[Event]:
    """Return the newest events that match, oldest first."""
    wanted = EventFilter(event_type, actor)
    found: list[Event] = []
    for each in session.log.newest_first(*wanted.pieces):
        if each.seq <= after or len(found) == limit:
            break
        if wanted.matches(each):
            found.append(each)
    return found[::-1]


@operation(inspects)
def follow(session: Session, after: After, *, timeout: Timeout | None = None) -> Iterator[Event]:
    """Yield every event after a number, as it is appended."""

    def has_news() -> bool:
        session.check_caller()
        return bool(session.log.read(after, 1))

    while True:
        page = session.log.read(after, _PAGE)
        yield from page
        if page:
            after = page[-1].seq
        elif (
            not session.log.wait_until(has_news, WAIT_SECONDS if timeout is None else timeout)
            and timeout is not None
        ):
            return


@operation(inspects)
def browse(
    session: Session,
    *,
    before: Before = 0,
    limit: Rows = 100,
    event_type: EventType = "",
    actor: Actor = "",
    words: Words = "",
) -> EventPage:
    """Return a page of events, newest first."""
    wanted, before = EventFilter(event_type, actor, words), before or LAST
    found: list[Event] = []
    looked = 0
    starts = [start for start in session.log.chunk_starts() if start < before]
    for start in reversed(starts):
        chunk = session.log.chunk(start)
        looked += len(chunk.content)
        for event in filter(wanted.matches, chunk.newest_first(wanted.pieces, before)):
            found.append(event)
            if len(found) == limit:
                return EventPage(found, event.seq if event.seq > 1 else 0)
        if looked >= SCAN_BYTES and start != starts[0]:
            return EventPage(found, start)
    return EventPage(found, 0)


@operation(inspects)
def export(
    session: Session, *, event_type: EventType = "", actor: Actor = "", after: After = 0
) -> Iterator[dict[str, object]]:
    """Yield the events that match, as CloudEvents."""
    source = f"/palaver/{session.root.path.split('/')[-2]}"
    matches = EventFilter(event_type, actor).matches
    return (cloudevent(event, source) for event in filter(matches, follow(session, after, timeout=0.0)))


def cloudevent(event: Event, source: str) -> dict[str, object]:
    """Return an event in the JSON format of CloudEvents 1.0.

    `source` and `id` together are unique; `sequence` is the number in the log, padded so that it sorts.
    Extension names are lower-case letters and digits, as the specification demands.
    """
    subject = text(event.data, "message_id") or text(event.data, "agent")
    optional = {"subject": subject, "correlationid": event.correlation_id, "causationid": event.caused_by}
    return {
        "specversion": "1.0",
        "id": event.event_id,
        "source": source,
        "type": f"dev.palaver.{event.event_type}.v1",
        "time": event.timestamp,
        "datacontenttype": "application/json",
        "sequence": f"{event.seq:016d}",
        "actor": event.actor,
        "authtype": event.auth,
        **{name: value for name, value in optional.items() if value},
        "data": event.data,
    }
