"""Bytes of a chat log into messages.

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] BTC price      -> assign, by jim
    2026-02-22 03:30:00 SYSTEM: Cron fired depin_health.sh               -> inform, to everyone

One line, one message; lines without a time that follow directly belong to it, and so do blank lines
between them. Well-formed lines go the swift way, one expression each. All others go the careful way: it
takes the lines that belong together, reads what can be read, and keeps the rest in quarantine.
"""

from palaver.dialects.collab import inbox, opening, swift, telling, times
from palaver.dialects.collab.cast import THE_SYSTEM, Cast, cast_of
from palaver.dialects.collab.grammar import CONFLICT, GLUED, HEAD_WITHIN, STAMPED, SWIFT, SWIFT_LAST, SWIFT_TAGS
from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.lines import BOM, bad_bytes
from palaver.dialects.collab.opening import Note, Opening
from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.errors import BadName
from palaver.model.finding import Finding, Place
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE

_SECONDS = {b"%02d" % second: f":{second:02}Z" for second in range(60)}
_KNOWN_MAX = 4096
_TORN = Note("COL012", "the line broke off, and another was written behind it", "ask its writer to say it again")
_CONFLICT = Note("COL005", "a conflict marker of git", "settle the merge; append-only files merge by keeping both")


def parse(source: Source) -> Parsed:
    """Read a chat log, or one file of the inbox."""
    cast = cast_of(source.mount)
    if is_inbox(source.path):
        return inbox.parse(source, cast)
    reader = _Reader(source, cast)
    reader.read()
    return Parsed(tuple(reader.pieces), tuple(reader.findings))


class _Reader:
    """One pass over a source."""

    def __init__(self, source: Source, cast: Cast) -> None:
        self.source = source
        self.content = source.content
        self.cast = cast
        self.pieces: list[Piece] = []
        self.findings: list[Finding] = []
        self.place = 0
        self.line = source.line
        # What the swift way has seen: minutes in UTC, and whom a word means.
        self.minutes: dict[bytes, str] = {}
        self.names = {word.upper().encode(): name for word, name in cast.words.items()}

    def read(self) -> None:
        """Go through the source, block by block, until its end or what is still being written."""
        size = len(self.content)
        while self.place < size:
            self._swiftly()
            if self.place < size:
                self._carefully()

    def _swiftly(self) -> None:
        """Read well-formed lines, up to the first that is not."""
        content, shift, place, line = self.content, self.source.offset, self.place, self.line
        minutes, names, tags, append = self.minutes, self.names, SWIFT_TAGS, self.pieces.append
        match = (SWIFT_LAST if self.source.whole else SWIFT).match
        while found := match(content, place):
            minute, second, left, right, tag, task, text = found.groups()
            end = found.end()
            try:
                at = minutes[minute] + _SECONDS[second]
                sender = names[left]
                to = names[right] if right else EVERYONE
                act = tags[tag] if tag else "inform"
                body = str(text, "utf-8")
            except KeyError:
                if self._learn(minute, left, right or left):
                    continue
                break
            except UnicodeDecodeError:
                break
            if (
                text[-1] == _CLOSING
                or b": " in text
                or (tag == b"BLOCKED" and task.startswith(_GATE))
                or end - place > LINE_BYTES
                or not (right or sender == THE_SYSTEM)
            ) and self._is_odd(found):
                break
            said = swift.message(sender, to, body, act, str(task, "ascii") if tag else "", at)
            append(swift.event(place + shift, end - place, line, said))
            place = end
            line += 1
        self.place, self.line = place, line

    def _learn(self, minute: bytes, left: bytes, right: bytes) -> bool:
        """Look up what the swift way has not seen yet; tell whether anything is new."""
        before = len(self.minutes) + len(self.names)
        if before > _KNOWN_MAX:
            return False
        if minute not in self.minutes and (utc := times.utc_minute(minute.decode(), self.cast.east)):
            self.minutes[minute] = utc
        for word in (left, right):
            if word not in self.names:
                with suppress(BadName):
                    self.names[word] = self.cast.address(word.decode())
        return len(self.minutes) + len(self.names) > before

    def _is_odd(self, found: re.Match[bytes]) -> bool:
        """Tell whether a line that looks well-formed has something that only the careful way reads."""
        _, _, left, right, tag, task, text = found.groups()
        return (
            (text.endswith(b")") and b"(palaver" in text)
            or GLUED_BYTES.search(text) is not None
            or (tag == b"BLOCKED" and task.startswith(_GATE))
            or found.end() - found.start() > LINE_BYTES
            or not (right or self.names[left] == THE_SYSTEM)
        )

    def _carefully(self) -> None:
        """Read one block: a line, and those that belong to it."""
        start = self.place
        end = self._end_of_line(start)
        if not end:
            self._keep(Kind.PENDING, len(self.content))
            return
        raw = self.content[start:end].removesuffix(b"\n")
        lead = len(BOM) if self.source.offset + start == 0 and raw.startswith(BOM) else 0
        raw = raw[lead:]
        if not raw.strip():
            self._keep(Kind.BLANK, end)
            return
        text = decoded(raw)
        if isinstance(text, Note):
            self._quarantine(end, text)
        elif CONFLICT.match(raw):
            self._quarantine(end, _CONFLICT)
        elif (torn := self._torn(text)) is not None:
            self._quarantine(start + lead + len(text[:torn].encode()), _TORN)
        else:
            found = self._opening(raw, text)
            if isinstance(found, Note):
                self._quarantine(end, found)
            else:
                self._message(start, end, found)

    def _torn(self, text: str) -> int | None:
        """Return where, inside a line, another one begins."""
        found = GLUED.search(text)
        if found is None and STAMPED.match(text.encode()) and isinstance(opening.stamped(text, self.cast), Note):
            found = HEAD_WITHIN.search(text, 1)
        return None if found is None else found.start()
