"""A session: one bus, seen by one process. Every use case that reads anything takes one."""

from collections.abc import Callable
from copy import copy
from threading import local

from palaver.bus.anchor_file import AnchorFile
from palaver.bus.root import Root
from palaver.bus.sync_port import SyncPort
from palaver.bus.view import View
from palaver.bus.writer import Writer, draft
from palaver.model.event import Event
from palaver.model.names import name
from palaver.views.mail.inbox import MessageRow

__all__ = ["Session", "draft"]


class Session(Writer):
    """A writer that has a view too, for any of its threads."""

    def __init__(self, root: Root, agent: str = "") -> None:
        """Take the place of the bus, and the agent that speaks if none is named; nothing is opened yet."""
        super().__init__(root, agent)
        self._threads = local()
        self.anchors = AnchorFile(root, self.log)
        self.sync = SyncPort()
        #: Called while an operation waits: raises if the process that it is for has gone.
        self.check_caller: Callable[[], None] = lambda: None

    def for_agent(self, agent: str) -> "Session":
        """Return the session for another agent: the same log and the same views, proof of nothing."""
        found = copy(self)
        found.agent = name(agent) if agent else ""
        found.vouched, found.inside = "", None
        return found

    def for_request(self, key: str, digest: str) -> "Session":
        """Return the session that answers one request: every event under its key has its digest."""
        found = copy(self)
        found.request = (key, digest)
        return found

    @property
    def view(self) -> View:
        """Return the view of this thread: on a shared one, a thread would see half of another's work."""
        found: View | None = getattr(self._threads, "view", None)
        if found is None:
            found = self._threads.view = View(self)
        return found

    def keep_anchor(self) -> None:
        """Keep outside the log how far it reaches, if this thread has a view that knows (docs/adr/0044)."""
        found: View | None = getattr(self._threads, "view", None)
        if found is not None and self.anchors.is_due():
            position = found.position()
            if position is not None:
                self.anchors.keep(position)

    def said(self, row: MessageRow) -> Event | None:
        """Return the event that stored a message, None if its line is damaged."""
        return self.all_said([row])[0]

    def all_said(self, rows: list[MessageRow]) -> list[Event | None]:
        """Return the event that stored each message, None where its line is damaged."""
        found = self.log.events_at([row.place for row in rows])
        return [
            event if event is not None and event.seq == row.seq else self._misplaced(row)
            for event, row in zip(found, rows, strict=True)
        ]

    def _misplaced(self, row: MessageRow) -> Event | None:
        """Return the event of a message that is not where the view says: the log decides which is wrong."""
        found = self.log.event(row.seq)
        if found is not None:
            self.view.rebuild("it was damaged (a message is not where it should be)")
        return found
