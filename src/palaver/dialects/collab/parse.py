"""Bytes of a chat log into messages.

    2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:price-check] BTC price      -> assign, by jim
    2026-02-22 03:30:00 SYSTEM: Cron fired depin_health.sh               -> inform, to everyone

One line, one message. Lines without a time that follow directly continue it, and so do blank lines between
them. A line that cannot be read is quarantined, and reading goes on.

A file of the inbox is one message, from A to B:

    inbox/msg_1771730144123456789.txt     [TASK:price-check] BTC price

A text from A to B that begins with `USER:` is from the person. The file holds neither time nor sender: its
name gives the time, and the mount gives the sender.
"""

import re
from contextlib import suppress
from typing import Final

from palaver.dialects.collab import entry
from palaver.dialects.collab.entry import Head
from palaver.dialects.collab.grammar import CONFLICT, HEAD_WITHIN, STAMPED
from palaver.dialects.collab.layout import dropped_at, is_inbox
from palaver.dialects.collab.parties import Parties, parties_of
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, PieceBuilder, Problem, Unreadable
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Parsed, Source
from palaver.model.names import BUS

_TORN: Final = Problem(
    "COL012", "a torn line is followed by another", "ask the writer to send the torn line again"
)

_WORD: Final = re.compile(r"\w", re.ASCII)


def parse(source: Source) -> Parsed:
    """Read a chat log, or one file of the inbox."""
    parties = parties_of(source.mount)
    if is_inbox(source.path):
        return _parse_inbox(source, parties)
    reader = _Reader(source, parties)
    while reader.builder.end < len(source.content):
        reader.read_entry()
    return reader.builder.parsed()


class _Reader:
    """One pass over a chat log."""

    def __init__(self, source: Source, parties: Parties) -> None:
        self.content = source.content
        self.is_whole = source.whole
        self.offset = source.offset
        self.parties = parties
        self.provenance = source.provenance
        self.builder = PieceBuilder(source)

    def read_entry(self) -> None:
        """Add the piece of a line and of the lines that continue it."""
        start = self.builder.end
        end = self._end_of_line(start)
        if not end:
            self.builder.add(Kind.PENDING, len(self.content))
            return
        raw = self.content[start:end].removesuffix(b"\n")
        if self.offset + start == 0 and raw.startswith(BYTE_ORDER_MARK):
            raw = raw.removeprefix(BYTE_ORDER_MARK)
            start += len(BYTE_ORDER_MARK)
        if not raw.strip():
            self.builder.add(Kind.BLANK, end)
            return
        try:
            self._read(raw, start, end)
        except Unreadable as fault:
            self.builder.quarantine(end, fault.problem)

    def _read(self, raw: bytes, start: int, end: int) -> None:
        if CONFLICT.match(raw):
            fix = "resolve the merge, keeping both sides"
            raise Unreadable("COL005", "the line is a git conflict marker", fix)
        text = entry.decode_line(raw)
        is_stamped = STAMPED.match(raw) is not None
        try:
            head = (entry.read_stamped if is_stamped else entry.read_unstamped)(text, self.parties)
            torn = _last_head(text, is_glued=True)
        except Unreadable:
            torn = _last_head(text, is_glued=not is_stamped)
            if not torn:
                raise
        if torn:
            self.builder.quarantine(start + len(text[:torn].encode()), _TORN)
        else:
            self._read_text(head, end, is_stamped=is_stamped)

    def _read_text(self, head: Head, end: int, *, is_stamped: bool) -> None:
        """Add the message of a head and the lines that continue it; wait, if more may follow."""
        texts: list[str] | None = []
        # Nobody adds to a message that the bus has written.
        if head.sender != BUS and not entry.ends_with_trailer(head.text, self.provenance):
            texts, end = self._continuation(end, is_stamped=is_stamped)
        if texts is None:
            self.builder.add(Kind.PENDING, len(self.content))
            return
        text = "\n".join([head.text, *texts]) if head.text.strip() else "\n".join(texts).lstrip("\n")
        try:
            message, problems = entry.read_message(head, text, self.parties, self.provenance)
            self.builder.add(Kind.EVENT, end, (message,), problems)
        except Unreadable as fault:
            self.builder.quarantine(end, fault.problem)

    def _continuation(self, end: int, *, is_stamped: bool) -> tuple[list[str] | None, int]:
        """Return the lines that continue the one that ends here, and where they end; None: more may follow.

        Blank lines belong to a message if another line of it follows.
        """
        content, size = self.content, len(self.content)
        texts: list[str] = []
        blanks = 0
        place = end
        while place < size and not STAMPED.match(content, place):
            following = self._end_of_line(place)
            if not following:
                return None, end
            if following - self.builder.end > LINE_BYTES:
                return texts, end
            raw = content[place:following].removesuffix(b"\n")
            place = following
            if not raw.strip():
                blanks += 1
                continue
            text = self._continuing(raw, is_stamped=is_stamped)
            if text is None:
                return texts, end
            texts += [""] * blanks + [text]
            blanks = 0
            end = following
        if place >= size and not self.is_whole:
            return None, end
        return texts, end

    def _continuing(self, raw: bytes, *, is_stamped: bool) -> str | None:
        """Return the text of a line that continues the one before, or None if it does not."""
        try:
            text = entry.decode_line(raw)
        except Unreadable:
            return None
        if (
            CONFLICT.match(raw)
            or _last_head(text, is_glued=True)
            or entry.begins_with_parties(text, self.parties)
        ):
            return None
        if not is_stamped:
            with suppress(Unreadable):
                entry.read_unstamped(text, self.parties)
                return None
        return text

    def _end_of_line(self, start: int) -> int:
        """Return where the next line begins; 0 if this one is incomplete."""
        end = self.content.find(b"\n", start) + 1
        return end or (len(self.content) if self.is_whole else 0)


def _last_head(text: str, *, is_glued: bool) -> int:
    """Return where the last head inside a line begins; 0 if there is none.

    A glued head follows the middle of a word: nobody quotes like that.
    """
    first = HEAD_WITHIN.search(text, 1)
    if first is None:
        return 0
    starts = [head.start() for head in HEAD_WITHIN.finditer(text, first.start())]
    return max((each for each in starts if not is_glued or _WORD.match(text, each - 1)), default=0)


def _parse_inbox(source: Source, parties: Parties) -> Parsed:
    """Read one file of the inbox; it is pending until it is whole."""
    builder = PieceBuilder(source)
    size = len(source.content)
    if not source.whole:
        if size:
            builder.add(Kind.PENDING, size)
        return builder.parsed()
    try:
        message, problems = _read_inbox(source, parties)
    except Unreadable as fault:
        # An empty file has no bytes to quarantine, but it is reported.
        builder.quarantine(size, fault.problem)
        parsed = builder.parsed()
        return parsed if size else Parsed((), parsed.findings)
    builder.add(Kind.EVENT, size, (message,), problems)
    return builder.parsed()


def _read_inbox(source: Source, parties: Parties) -> tuple[Message, tuple[Problem, ...]]:
    name = source.path.rpartition("/")[2]
    if name.startswith(".") or ("." in name and not name.endswith(".txt")):
        fix = "drop messages as inbox/msg_<nanoseconds>.txt"
        raise Unreadable("COL013", "the file in the inbox is not a text", fix)
    text = (
        entry.decode_content(source.content.removeprefix(BYTE_ORDER_MARK)).replace("\r\n", "\n").rstrip("\n")
    )
    # A name without a time is what `inbox-file-name` finds.
    head = Head(parties.dropper, [parties.b], text, dropped_at(source.path), ())
    return entry.read_message(head, text, parties, source.provenance, is_inbox=True)
