"""Reading a log on the disk: by number, by place, and waiting for more. No lock is taken.

The place of an event is `segment:offset:length`, the place that a reader has reached is `segment:offset`.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Callable, Iterator

from palaver.files.regular import NotRegular, open_regular, storage_failed
from palaver.log import segments
from palaver.log.port import Chunk, Damage, EventBatch, Log, LogReplaced, damage_in
from palaver.log.record import decode, hashed, is_up_to
from palaver.model.event import Event
from palaver.model.limits import LINE_BYTES

# How many bytes are read at once: at least, for each event, and at most.
_PIECE_LEAST = 32_768
_LINE_USUAL = 1_024
_PIECE_MOST = 1 << 22


class FileReader(Log):
    """One log, as far as it can be read."""

    def __init__(self, directory: str, vouched: str = "", inside: dict[str, object] | None = None) -> None:
        """Take the folder, which must exist, the agent that has proved itself, and its run."""
        super().__init__(vouched, inside)
        self._directory = directory

    def last_seq(self) -> int:
        """Return the number of the last whole line."""
        firsts = segments.listed(self._directory)
        if not firsts:
            return 0
        fd = segments.open_segment(segments.path_of(self._directory, firsts[-1]))
        try:
            return segments.tail(self._directory, firsts[-1], fd).seq
        finally:
            os.close(fd)

    def read(self, after: int, limit: int) -> list[Event]:
        """Return at most `limit` events with a number greater than `after`, in order."""
        try:
            return self._read(after, limit) if limit > 0 else []
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault

    def _read(self, after: int, limit: int) -> list[Event]:
        events: list[Event] = []
        # About as much as is needed: reading one event does not cost a whole segment.
        most = min(_PIECE_MOST, _PIECE_LEAST + limit * _LINE_USUAL)
        for first, start in self._from(after):
            offset = start
            while data := segments.content(self._directory, first, offset, most):
                offset += len(data)
                for raw in data.split(b"\n")[:-1]:
                    event = None if is_up_to(raw, after) else decode(raw)
                    if event is not None:
                        events.append(event)
                        if len(events) == limit:
                            return events
        return events

    def batches(self, after: str = "", head: str = "") -> Iterator[EventBatch]:
        """Yield everything that follows a place, a segment at a time."""
        firsts = segments.listed(self._directory)
        segment, offset = self._position(after, firsts)
        for first in firsts:
            start = offset if first == segment else 0
            data = segments.content(self._directory, first, start) if first >= segment else b""
            if data:
                batch = _decoded(first, start, data)
                if batch.events:
                    if head and batch.events[0].prev != head:
                        raise LogReplaced
                    # Only the first event counts: behind a redacted line the hash differs for good reason.
                    head = ""
                yield batch

    def _position(self, place: str, firsts: list[int]) -> tuple[int, int]:
        """Return the segment and the offset of a place that a reader has reached."""
        if not place:
            return 0, 0
        try:
            segment, offset = map(int, place.split(":"))
        except ValueError:
            # No log gave out this place: the file of the reader is corrupted.
            raise LogReplaced from None
        if segment not in firsts or not 0 <= offset <= segments.size(self._directory, segment):
            raise LogReplaced
        return segment, offset

    def end(self) -> str:
        """Return the place after the last byte, complete line or not: when it changes, the log has grown."""
        firsts = segments.listed(self._directory)
        return f"{firsts[-1]}:{segments.size(self._directory, firsts[-1])}" if firsts else ""

    def lines_at(self, places: list[str]) -> list[bytes]:
        """Return the bytes of the line at each place, readable or not; nothing where there are none."""
        opened: dict[int, int] = {}
        try:
            return [self._line_at(place, opened) for place in places]
        finally:
            for fd in opened.values():
                os.close(fd)

    def _line_at(self, place: str, opened: dict[int, int]) -> bytes:
        """Return the bytes of one line; a segment that is opened for it is left to the next one."""
        try:
            segment, offset, length = map(int, place.split(":"))
            if segment not in opened:
                opened[segment] = segments.open_segment(segments.path_of(self._directory, segment))
        except (ValueError, FileNotFoundError):
            return b""
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault
        try:
            return os.pread(opened[segment], min(max(length, 0), LINE_BYTES), max(offset, 0))
        except (OSError, OverflowError):
            return b""

    def wait_until(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Return True as soon as `ready()` is true, False after the timeout; check when the log grows."""
        from palaver.log.file_watch import wait_until

        return wait_until(ready, [self._directory], timeout)

    def is_unsafe(self, seq: int) -> bool:
        """Return True if the segment of this number ended because a sync of it failed."""
        later = [first for first in segments.listed(self._directory) if first > seq]
        if not later:
            return False
        with open(segments.path_of(self._directory, later[0]), "rb", opener=segments.open_segment) as segment:
            event = decode(segment.readline().rstrip(b"\n"))
        return event is not None and event.event_type == "log.sync_failed"

    def chunk_starts(self) -> list[int]:
        """Return the number of the first line of each segment, in order."""
        return segments.listed(self._directory)

    def chunk(self, start: int) -> Chunk:
        """Return the raw lines of a segment."""
        name = f"log/{segments.file_name(start)}"
        try:
            with open(segments.path_of(self._directory, start), "rb", opener=open_regular) as file:
                return Chunk(start, name, file.read())
        except NotRegular as special:
            return Chunk(start, name, b"", f"it is {special.kind}, not a log segment; remove it")
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault

    def size(self) -> int:
        """Return the size of the log in bytes, including segments that `chunk` reports as unusable."""
        try:
            paths = [segments.path_of(self._directory, first) for first in segments.listed(self._directory)]
            return sum(os.lstat(path).st_size for path in paths)
        except OSError as fault:
            raise storage_failed(fault, self._directory) from fault

    def _from(self, after: int) -> list[tuple[int, int]]:
        """Return the segments, and where to start in them, that may hold numbers greater than `after`."""
        firsts = segments.listed(self._directory)
        start = max((first for first in firsts if first <= after + 1), default=0)
        places = [(first, 0) for first in firsts if first >= start]
        if start and after > 0:
            places[0] = (start, segments.near(self._directory, start, after))
        return places


def _decoded(segment: int, start: int, data: bytes) -> EventBatch:
    """Decode whole lines that start at an offset of a segment."""
    events: list[Event] = []
    damage: list[Damage] = []
    offset, last = start, b""
    for raw in data.split(b"\n")[:-1]:
        event = decode(raw, f"{segment}:{offset}:{len(raw)}")
        if event is None:
            damage.append(damage_in(segment, offset, len(raw)))
        else:
            events.append(event)
            last = raw
        offset += len(raw) + 1
    return EventBatch(events, damage=damage, end=f"{segment}:{offset}", head=hashed(last) if last else "")
