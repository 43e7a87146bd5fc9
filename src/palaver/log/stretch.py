"""A stretch: a run of neighbouring lines of one segment, decoded, with what joins it to the rest.

This is how views read the log: they ask for what follows the place that they have reached, and
compare `prev` with the hash they remember. If it is another, the log is not the one they knew.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable

from palaver.log.record import decode, hashed
from palaver.model.event import Event
from palaver.model.stretch import Stretch


def stretch(segment: int, start: int, data: bytes, read: Callable[[bytes], Event | None] = decode) -> Stretch:
    """Decode whole lines that start at an offset of a segment."""
    rows: list[tuple[int, int, Event]] = []
    damaged: list[tuple[int, int]] = []
    offset = start
    last = b""
    for raw in data.split(b"\n")[:-1]:
        event = read(raw)
        if event is None:
            damaged.append((offset, len(raw)))
        else:
            rows.append((offset, len(raw), event))
            last = raw
        offset += len(raw) + 1
    head = hashed(last) if rows else ""
    return Stretch(segment, start=start, end=offset, rows=rows, damaged=damaged, head=head)
