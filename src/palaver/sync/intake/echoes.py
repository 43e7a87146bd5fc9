"""Our own bytes in a foreign file: recognised by equality, never by a record of what we wrote.

Reading confirms a rendering, not writing: a process that dies between the two has neither lost it nor written
it twice. At the start of a line, bytes equal to a rendering that is owed are its echo. A beginning of one
that breaks off is our own interrupted write: it goes to the quarantine and is never a message.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

# Any program could have written a shorter beginning.
_TORN_BYTES = 24


class Rendering(NamedTuple):
    """The bytes of an event in a file, and the number of that event."""

    seq: int
    content: bytes


class Span(NamedTuple):
    """A run of bytes, and the number of the event that was rendered, or one of those below."""

    start: int
    end: int
    seq: int


#: Another program wrote it.
FOREIGN = 0
#: A rendering of ours that broke off, with something else behind it.
TORN = -1
#: A rendering of ours that breaks off where the bytes end.
UNFINISHED = -2


class Renderings:
    """Renderings that are owed to one file and were not found yet, by their first bytes and first lines.

    Lines of others may begin like ours, with the same time. They are not compared with all of ours.
    """

    def __init__(self, owed: Sequence[Rendering]) -> None:
        """Take the renderings that are owed."""
        self._by_start: dict[bytes, dict[bytes, list[Rendering]]] = {}
        for each in sorted(owed, key=lambda each: (-len(each.content), each.seq)):
            heads = self._by_start.setdefault(each.content[:_TORN_BYTES], {})
            heads.setdefault(_head(each.content, 0), []).append(each)

    def spans(self, content: bytes) -> Iterator[Span]:
        """Split content, which starts at the start of a line, into spans.

        Equal renderings are matched oldest first, and the longest of those that fit. Each is found once.
        """
        foreign = place = 0
        while place < len(content) and self._by_start:
            span = self._span(content, place)
            if span is None:
                newline = content.find(b"\n", place)
                if newline < 0:
                    break
                place = newline + 1
                continue
            if span.start > foreign:
                yield Span(foreign, span.start, FOREIGN)
            yield span
            foreign = place = span.end
        if foreign < len(content):
            yield Span(foreign, len(content), FOREIGN)

    def _span(self, content: bytes, place: int) -> Span | None:
        """Return the rendering of ours that begins here, whole or torn."""
        heads = self._by_start.get(content[place : place + _TORN_BYTES])
        if heads is None:
            return None
        head = _head(content, place)
        alike = heads.get(head, [])
        for each in alike:
            if content.startswith(each.content, place):
                self._remove(each, head)
                return Span(place, place + len(each.content), each.seq)
        for each in alike:
            if found := _torn(content, place, place + _same(content, place, each.content)):
                return found
        end = place + len(head) - head.endswith(b"\n")
        if not alike and any(known.startswith(content[place:end]) for known in heads):
            return _torn(content, place, end)
        return None

    def _remove(self, rendering: Rendering, head: bytes) -> None:
        start = rendering.content[:_TORN_BYTES]
        heads = self._by_start[start]
        heads[head].remove(rendering)
        if not heads[head]:
            del heads[head]
        if not heads:
            del self._by_start[start]


def _head(content: bytes, place: int) -> bytes:
    """Return the first lines from a place on that are together long enough to identify a rendering."""
    end = content.find(b"\n", place + _TORN_BYTES - 1)
    return content[place : end + 1] if end >= 0 else content[place:]


def _torn(content: bytes, place: int, end: int) -> Span | None:
    """Return the span of a rendering that agrees with the content up to there, if it broke off there."""
    if end == len(content):
        return Span(place, end, UNFINISHED)
    if content[end : end + 1] == b"\n":
        return Span(place, end + 1, TORN)
    if content[end - 1 : end] == b"\n":
        return Span(place, end, TORN)
    return None


def _same(content: bytes, place: int, other: bytes) -> int:
    """Return how many bytes are the same from here on."""
    low, high = 0, min(len(other), len(content) - place)
    while low < high:
        middle = (low + high + 1) // 2
        if content[place : place + middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
