"""The events that are owed to the file of a mount that all events are appended to."""

import os

from palaver.log.port import Log
from palaver.model.board_files import EventFile
from palaver.model.event import Event
from palaver.model.limits import DAEMON_PAGE, OWED
from palaver.sync.intake.echoes import Rendering
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.files import outstanding
from palaver.views.query import Query
from palaver.views.tasks.event_effects import effects_of


class EventFeed:
    """The events that one mount is owed."""

    def __init__(self, mounted: MountPoint, event_file: EventFile, log: Log) -> None:
        """Take the mount, its file, and the log."""
        self.file = event_file.file
        self._spec = event_file
        self._mounted = mounted
        self._log = log
        self._read = -1
        self._waiting: list[Event] = []
        # What was rendered, by event: one is looked for in the file after it was written there.
        self._rendered: dict[int, Rendering] = {}

    def owed(self, db: Query, last: int) -> list[Rendering]:
        """Return the events that are not in the file yet, oldest first, some at a time.

        `last` is the last event of the view: what a later one did is not known yet.
        """
        if not os.path.isdir(os.path.dirname(self._mounted.full(self.file))):
            return []
        through = outstanding.shown(db, self._mounted.name)
        if self._read < through:
            self._read, self._waiting = through, []
        if len(self._waiting) < OWED:
            self._read_on()
        self._waiting = [event for event in self._waiting if event.seq > through]
        written = outstanding.echoed(db, self._mounted.name)
        wanted = [
            each for each in self._waiting if each.seq <= last and (each.seq, self.file) not in written
        ][:OWED]
        before = self._rendered
        self._rendered = {each.seq: before.get(each.seq) or self._render(db, each) for each in wanted}
        return list(self._rendered.values())

    def _read_on(self) -> None:
        while page := self._log.read(self._read, DAEMON_PAGE):
            self._read = page[-1].seq
            self._waiting += [each for each in page if not each.event_type.startswith(self._spec.omitted)]
            if len(self._waiting) >= OWED:
                return

    def _render(self, db: Query, event: Event) -> Rendering:
        """Return the lines of an event."""
        return Rendering(event.seq, self._spec.render(event, effects_of(db, event)))

    def through(self, written: set[int]) -> int:
        """Return the number up to which all events are in the file, given these; 0 if that is no news."""
        reached = 0
        for event in self._waiting:
            if event.seq not in written:
                break
            reached = event.seq
        return reached
