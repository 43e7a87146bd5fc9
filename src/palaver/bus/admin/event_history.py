"""The events of the log: one of them, the newest that match, a page at a time, or as they come.

A page looks at a bounded number of bytes. Where it ends before it is full, `older` says where to go on, so
that a rare word in a large log costs many small queries and no long one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from palaver.bus.mail.send import find
from palaver.bus.session import Session
from palaver.model.errors import BadArguments, NotFound
from palaver.model.event import Event
from palaver.model.limits import ROWS, SCAN_BYTES

_PAGE = 1_000
# Longer than any number or id of ours.
_ID_CHARS = 64
#: More than any log has.
LAST = 1 << 62


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some events, newest first, and the number before which the next page starts; 0 if there is none."""

    events: list[Event]
    older: int


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


def page(
    core: Session,
    *,
    before: int = 0,
    limit: int = 100,
    event_type: str = "",
    actor: str = "",
    words: str = "",
) -> EventPage:
    """Return the newest events before a number (0: all) that fit; `mail.*` fits every kind of mail."""
    bounded(limit)
    return _page(core, before if 0 < before < LAST else LAST, limit, _Wanted(event_type, actor, words))


def _page(core: Session, before: int, limit: int, wanted: "_Wanted") -> EventPage:
    found: list[Event] = []
    looked = 0
    starts = [start for start in core.log.chunk_starts() if start < before]
    for start in reversed(starts):
        chunk = core.log.chunk(start)
        looked += len(chunk.content)
        for event in chunk.newest_first(wanted.pieces, before):
            if wanted.fits(event):
                found.append(event)
                if len(found) == limit:
                    return EventPage(found, event.seq if event.seq > 1 else 0)
        if looked >= SCAN_BYTES and start != starts[0]:
            return EventPage(found, start)
    return EventPage(found, 0)


class _Wanted:
    """What somebody looks for; a line without the pieces is never decoded."""

    __slots__ = ("_actor", "_family", "_type", "_words", "pieces")

    def __init__(self, event_type: str, actor: str, words: str) -> None:
        self._type = event_type
        self._family = event_type.removesuffix("*")
        self._actor = actor.lower()
        self._words = words.lower().split()
        # Words may be escaped in a record, or in capitals: only what is plain can be looked for in the bytes.
        self.pieces = [piece for piece in (self._family, self._actor) if piece.isascii()]

    def fits(self, event: Event) -> bool:
        if self._type and not (
            event.event_type.startswith(self._family)
            if self._family != self._type
            else event.event_type == self._type
        ):
            return False
        if self._actor and event.actor != self._actor:
            return False
        return not self._words or _has(event, self._words)


def _has(event: Event, words: list[str]) -> bool:
    text = "\n".join(_texts(event.plain())).lower()
    return all(word in text for word in words)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _texts(inner)]
    return [str(value)]
