"""`.work/events.jsonl`: every event of the bus, in the words of vermas, appended as it comes.

What the bus notes about files and about its own log is left out: a line about this file would ask for
another.
"""

import os

from palaver.dialects.vermas.grammar import TYPE_OF_ACT
from palaver.dialects.vermas.values import WorkEvent
from palaver.log.port import Log
from palaver.model.event import Event, text, texts
from palaver.model.limits import DAEMON_PAGE, OWED
from palaver.model.orders import renamed, told
from palaver.sync.intake.echoes import Rendering
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render.debts import CHRONICLE, Chronicle
from palaver.views.files import sources
from palaver.views.query import Query

_UNSAID = ("file.", "log.")


class EventFile(Chronicle):
    """The events that one mount is owed."""

    def __init__(self, mounted: MountPoint, log: Log) -> None:
        """Take the mount and the log."""
        self._mounted = mounted
        self._log = log
        self._read = -1
        self._waiting: list[Event] = []

    def owed(self, db: Query) -> list[Event]:
        """Return the events that do not stand in the file yet, oldest first, some at a time."""
        if not os.path.isdir(self._mounted.full(".work")):
            return []
        through = sources.shown(db, self._mounted.name)
        if self._read < through:
            self._read, self._waiting = through, []
        if len(self._waiting) < OWED:
            self._look_on()
        self._waiting = [event for event in self._waiting if event.seq > through]
        stands = sources.echoed(db, self._mounted.name)
        return [each for each in self._waiting if (each.seq, CHRONICLE) not in stands][:OWED]

    def _look_on(self) -> None:
        while page := self._log.read(self._read, DAEMON_PAGE):
            self._read = page[-1].seq
            self._waiting += [event for event in page if not event.event_type.startswith(_UNSAID)]
            if len(self._waiting) >= OWED:
                return

    def through(self, standing: set[int]) -> int:
        """Return up to which number all events stand, with these; 0 if that is no news."""
        reached = 0
        for event in self._waiting:
            if event.seq not in standing:
                break
            reached = event.seq
        return reached

    def rendered(self, event: Event) -> Rendering:
        """Return an event as its line, or lines: what was done to several messages is said of each."""
        return Rendering(event.seq, b"".join(each.render() for each in _said(event)))


def _said(event: Event) -> list[WorkEvent]:
    ids = texts(event.data, "message_ids")
    if ids and event.event_type.startswith("mail."):
        rest = {key: value for key, value in event.data.items() if key not in ("message_ids", "chars")}
        many = len(ids) > 1
        return [
            _one(event, {"message_id": each, **rest}, f".{place}" if many else "")
            for place, each in enumerate(ids)
        ]
    if event.event_type == "mail.sent":
        return [_one(event, _sent(event))]
    return [_one(event, told(event.event_type, event.actor, event.data))]


def _sent(event: Event) -> dict[str, object]:
    to = texts(event.data, "to")
    found: dict[str, object] = {
        "message_id": text(event.data, "message_id"),
        "from": text(event.data, "from"),
        "to": to[0] if len(to) == 1 else to,
        "subject": text(event.data, "subject"),
    }
    kind = TYPE_OF_ACT.get(text(event.data, "act"))
    if kind:
        found["message_type"] = kind.name
    task = text(event.data, "task")
    if task:
        found["work_order_id"] = task
    return found


def _one(event: Event, said: dict[str, object], part: str = "") -> WorkEvent:
    return WorkEvent(
        event_id=event.event_id + part,
        event_type=renamed(event.event_type),
        timestamp=event.timestamp,
        actor=event.actor,
        data=said,
        correlation_id=event.correlation_id,
        caused_by=event.caused_by,
    )
