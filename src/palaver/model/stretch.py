"""A stretch of the log as views see it: events with their places.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

from palaver.model.event import Event


class Stretch:
    """Neighbouring lines of one segment."""

    __slots__ = ("damaged", "end", "head", "rows", "segment", "start")

    def __init__(
        self,
        segment: int,
        *,
        start: int,
        end: int,
        rows: list[tuple[int, int, Event]],
        damaged: list[tuple[int, int]],
        head: str,
    ) -> None:
        """Take the segment, its span, rows of (offset, length, event), damaged spans, and the last hash."""
        self.segment = segment
        self.start = start
        self.end = end
        self.rows = rows
        self.damaged = damaged
        self.head = head

    @property
    def prev(self) -> str:
        """Return what the first event says of the one before it."""
        return self.rows[0][2].prev if self.rows else ""
