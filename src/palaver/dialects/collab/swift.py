"""The swift way through a chat log: many well-formed lines at a time.

A chat log has a line a second for years. One expression finds all lines of a stretch that are as they
should be; what they have in common, such as names and minutes, is looked up once. It gives what the
careful way would give, or nothing: with the first line that is in any way odd, the careful way goes on.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from palaver.dialects.collab import health, times
from palaver.dialects.collab.cast import THE_SYSTEM, Cast
from palaver.dialects.collab.grammar import GATE, MINUTE, STAMPED, SWIFT, SWIFT_TAGS
from palaver.model.dialect import Kind, Piece, Source
from palaver.model.errors import BadName
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE

# A stretch is short after an odd line, for more may follow, and grows as long as there is none.
_STRETCH_MIN: Final = 256
_STRETCH_MAX: Final = 1 << 13
# What is remembered of minutes, names and health. A file with more of them is still read, only not faster.
_REMEMBERED: Final = 10_000
_SHORT: Final = 256

_EVENT: Final = Kind.EVENT
_SECONDS: Final = {f"{second:02}": f":{second:02}Z" for second in range(60)}
_GATED: Final = f"[BLOCKED:{GATE}"
_piece: Final = tuple.__new__
_new: Final = Message.__new__

Value = TypeVar("Value")


class _Lookup(dict[str, Value]):
    """A table that looks up what it has not got, and remembers it."""

    def __init__(self, find: Callable[[str], Value]) -> None:
        self.find = find

    def __missing__(self, key: str) -> Value:
        found = self.find(key)
        if len(self) < _REMEMBERED and len(key) < _SHORT:
            self[key] = found
        return found


class Swift:
    """What the swift way knows of one source."""

    def __init__(self, source: Source, cast: Cast) -> None:
        """Take the source; nothing is read yet."""
        self.source = source
        self.stretch = _STRETCH_MAX
        self.minutes = _Lookup(lambda minute: _minute(minute, cast))
        self.pairs = _Lookup(health.pairs)
        self.parties = _Lookup(lambda head: _parties(head, cast))

    def read(self, place: int, line: int, pieces: list[Piece]) -> tuple[int, int]:
        """Add the pieces of well-formed lines, from a place on; return place and line of what comes next."""
        content, first = self.source.content, len(pieces)
        size = len(content)
        while place < size:
            limit = content.find(b"\n", place + self.stretch) + 1 or size
            if limit - place > LINE_BYTES:
                break
            before = len(pieces)
            place = self._stretch(place, limit, line, pieces)
            line += len(pieces) - before
            if place < limit:
                self.stretch = _STRETCH_MIN
                break
            self.stretch = min(2 * self.stretch, _STRETCH_MAX)
        if len(pieces) > first and not self._is_closed(place):
            # The last line may go on in the next one.
            return pieces.pop().start - self.source.offset, line - 1
        return place, line

    def _stretch(self, place: int, limit: int, line: int, pieces: list[Piece]) -> int:
        """Add the pieces of one stretch; return where they end."""
        try:
            stretch = self.source.content[place:limit].decode()
        except UnicodeDecodeError:
            return place
        rows = SWIFT.findall(stretch)
        odd, wide = _is_odd(stretch, len(rows)), not stretch.isascii()
        start, seen = place + self.source.offset, 0
        minutes, parties, append = self.minutes, self.parties, pieces.append
        for whole, minute, second, head, tag, task, pairs, text in rows:
            if odd:
                if not stretch.startswith(whole, seen) or _is_odd(whole, 1):
                    break
                seen += len(whole)
            try:
                sender, to = parties[head]
                said = _message(sender, to, text, SWIFT_TAGS[tag], minutes[minute] + _SECONDS[second])
            except (KeyError, BadName):
                break
            if task:
                said.task = task
            elif pairs:
                said.act = "health"
                said.meta = health.meta(self.pairs[text])
            length = len(whole.encode()) if wide else len(whole)
            append(_piece(Piece, (_EVENT, start, length, line, (said,), "")))
            start += length
            line += 1
        return start - self.source.offset

    def _is_closed(self, place: int) -> bool:
        """Tell whether no line can belong to the one that ends here."""
        content = self.source.content
        return self.source.whole if place == len(content) else STAMPED.match(content, place) is not None


def _minute(text: str, cast: Cast) -> str:
    found = times.utc_minute(text, cast.east) if MINUTE.fullmatch(text) else ""
    if not found:
        raise KeyError(text)
    return found


def _parties(head: str, cast: Cast) -> tuple[str, str]:
    left, _, right = head.partition(" -> ")
    return (cast.address(left), cast.address(right)) if right else (THE_SYSTEM, EVERYONE)


def _is_odd(stretch: str, lines: int) -> bool:
    """Tell whether some line is not well-formed, or has a trailer, another line or the like in it."""
    return (
        stretch.count("\n") != lines
        or stretch.count(" -> ") + stretch.count(" SYSTEM: ") != lines
        or "(palaver" in stretch
        or "\r" in stretch
        or "\0" in stretch
        or _GATED in stretch
    )


def _message(sender: str, to: str, body: str, act: str, at: str) -> Message:
    """Return a message that says this and nothing else.

    The constructor, which takes 23 names, costs more than reading the line; a test compares every field.
    """
    made = _new(Message)
    made.sender = sender
    made.to = [to]
    made.body = body
    made.act = act
    made.at = at
    made.id = made.task = made.subject = made.reasoning = made.run = made.reply_to = ""
    made.tag = made.thread = made.event_id = ""
    made.priority = "normal"
    made.files = []
    made.artifacts = []
    made.meta = {}
    made.hops = made.seq = 0
    made.auth = "claimed"
    made.undeliverable = made.redacted = False
    return made
