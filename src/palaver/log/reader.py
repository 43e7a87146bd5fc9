"""Reading a log on the disk: by number, by place, and waiting for more. No lock is taken.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Iterator

from palaver.log import segments
from palaver.log.record import decode, passed
from palaver.log.stretch import stretch
from palaver.model.errors import StorageFailed
from palaver.model.event import Event
from palaver.model.stretch import Stretch

# How much is read at once for some events: at least, for each of them, and at most.
_PIECE_LEAST = 32_768
_LINE_USUAL = 1_024
_PIECE_MOST = 1 << 22


class Reader:
    """One log, as far as it can be read."""

    __slots__ = ("_directory",)

    def __init__(self, directory: str) -> None:
        """Name the folder, which must exist."""
        self._directory = directory

    @property
    def directory(self) -> str:
        """Return the folder of the segments."""
        return self._directory

    def last_seq(self) -> int:
        """Return the number of the last whole line."""
        firsts = self._firsts()
        if not firsts:
            return 0
        fd = segments.open_segment(segments.path_of(self._directory, firsts[-1]))
        try:
            return segments.tail(self._directory, firsts[-1], fd).seq
        finally:
            os.close(fd)

    def read(self, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events with a number greater than `after`, in order."""
        events: list[Event] = []
        # About as much as is wanted: whoever asks for one event does not pay for a segment.
        most = min(_PIECE_MOST, _PIECE_LEAST + limit * _LINE_USUAL)
        for first, start in self._from(after) if limit > 0 else ():
            offset = start
            while data := segments.content(self._directory, first, offset, most):
                offset += len(data)
                for raw in data.split(b"\n")[:-1]:
                    event = None if passed(raw, after) else decode(raw)
                    if event is not None:
                        events.append(event)
                        if len(events) == limit:
                            return events
        return events

    def stretches(self, segment: int, offset: int) -> Iterator[Stretch]:
        """Yield all that follows a place, a segment at a time; (0, 0) is the beginning."""
        places = [(first, 0) for first in self._firsts() if first > segment]
        if segment:
            places.insert(0, (segment, offset))
        read = decode
        if len(places) > 2:
            from palaver.log.bulk import decode as read
        for first, start in places:
            data = segments.content(self._directory, first, start)
            if data:
                yield stretch(first, start, data, read)

    def end(self) -> tuple[int, int]:
        """Return the place behind the last byte, whole line or not: when it moves, there is news."""
        firsts = self._firsts()
        if not firsts:
            return (0, 0)
        return (firsts[-1], segments.size(self._directory, firsts[-1]))

    def at(self, segment: int, offset: int, length: int) -> Event | None:
        """Return the event at a place that a view remembers, None if it is damaged now."""
        fd = segments.open_segment(segments.path_of(self._directory, segment))
        try:
            return decode(os.pread(fd, length, offset))
        finally:
            os.close(fd)

    def wait(self, after: int, timeout: float) -> bool:
        """Sleep until there is an event with a number greater than `after`; tell whether there is."""
        from palaver.log.watch import wait_until

        return wait_until(lambda: bool(self.read(after, 1)), [self._directory], timeout)

    def unsafe(self, seq: int) -> bool:
        """Tell whether the segment of this number ended because a sync of it failed."""
        firsts = segments.listed(self._directory)
        later = [first for first in firsts if first > seq]
        if not later:
            return False
        with open(segments.path_of(self._directory, later[0]), "rb", opener=segments.open_segment) as segment:
            event = decode(segment.readline().rstrip(b"\n"))
        return event is not None and event.event_type == "log.sync_failed"

    def _firsts(self) -> list[int]:
        try:
            return segments.listed(self._directory)
        except OSError as fault:
            raise storage(fault, self._directory) from fault

    def _from(self, after: int) -> list[tuple[int, int]]:
        """Return the segments, and where to start in them, that may hold numbers greater than `after`."""
        firsts = self._firsts()
        start = max((first for first in firsts if first <= after + 1), default=0)
        places = [(first, 0) for first in firsts if first >= start]
        if start and after > 0:
            places[0] = (start, segments.near(self._directory, start, after))
        return places


def storage(fault: OSError, path: str) -> StorageFailed:
    """Return what the disk said as a refusal."""
    return StorageFailed(
        f"cannot use {fault.filename or path}",
        fault.strerror or str(fault),
        "nothing was written; mend it and try again",
    )
