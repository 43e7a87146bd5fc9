"""Leafing through the log, newest first, a page at a time: by type, by actor, by any words of the record.

A page looks at a bounded number of bytes. Where it ends before it is full, `older` says where to go on, so
that a rare word in a large log costs many small questions and no long one.
"""

from palaver.bus.session import Session
from palaver.model.errors import BadArguments
from palaver.model.event import Event
from palaver.model.limits import ROWS, SCAN_BYTES
from palaver.views.mail import threads
from palaver.views.mail.threads import Thread

# More than any log has.
_LAST = 1 << 62


class Page:
    """Some events, newest first, and the number before which the next page starts; 0 if there is none."""

    __slots__ = ("events", "older")

    def __init__(self, events: list[Event], older: int) -> None:
        """Take the events and the place to go on."""
        self.events = events
        self.older = older


def page(
    core: Session,
    *,
    before: int = 0,
    limit: int = 100,
    event_type: str = "",
    actor: str = "",
    words: str = "",
) -> Page:
    """Return the newest events before a number (0: all) that fit; `mail.*` fits every kind of mail."""
    if not 0 < limit <= ROWS:
        raise BadArguments(f"cannot give {limit} of them", f"it must be between 1 and {ROWS}", "ask for less")
    return _page(core, before if 0 < before < _LAST else _LAST, limit, _Wanted(event_type, actor, words))


def _page(core: Session, before: int, limit: int, wanted: "_Wanted") -> Page:
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
                    return Page(found, event.seq if event.seq > 1 else 0)
        if looked >= SCAN_BYTES and start != starts[0]:
            return Page(found, start)
    return Page(found, 0)


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


def conversations(core: Session, *, before: int = 0, limit: int = 30) -> tuple[list[Thread], int]:
    """Return the conversations that end before a number, newest first, and where to go on."""
    if not 0 < limit <= ROWS:
        raise BadArguments(f"cannot give {limit} of them", f"it must be between 1 and {ROWS}", "ask for less")
    db = core.view.current()
    with core.view.held():
        # What is no number of an event stands behind all of them.
        return threads.threads(db, before=before if 0 < before < _LAST else _LAST, limit=limit)
