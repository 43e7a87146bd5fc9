"""A batch: consecutive events of the log, each with its place, and what joins them to the rest.

This is how views read the log: they ask for what follows the place that they have reached, and compare
`prev` with the hash that they remember. If it differs, the log is not the one that they were built from.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from palaver.log.damage import Damage
from palaver.log.record import hashed
from palaver.model.event import Event


class Batch:
    """Consecutive lines of the log."""

    __slots__ = ("damage", "end", "events", "head")

    def __init__(self, events: list[Event], *, damage: list[Damage], end: str, last: bytes) -> None:
        """Take the events, the corrupted lines among them, the place behind, and the last readable line."""
        self.events = events
        self.damage = damage
        self.end = end
        #: The hash of the last event, which the next one names in its `prev`.
        self.head = hashed(last) if last else ""

    def follows(self, head: str) -> bool:
        """Return False if the event before this batch is not the one with this hash."""
        return not head or not self.events or self.events[0].prev == head

    @property
    def last_seq(self) -> int:
        """Return the number of the last event, 0 if no line can be read."""
        return self.events[-1].seq if self.events else 0
