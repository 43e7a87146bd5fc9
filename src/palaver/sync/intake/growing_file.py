"""A file that grows: read on from where the log says it was read to.

If its last piece is not what it was, or the file is shorter, or another one, then it was rewritten: it begins
another life, and a line is new only if it stands there more often than before.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import gc
import os

from palaver.model.dialect import Kind, Parsed, Piece, Source
from palaver.model.limits import CHUNK_BYTES, LINE_BYTES, RUN_BYTES
from palaver.sync.intake import keeping
from palaver.sync.intake.echoes import FOREIGN, UNFINISHED, Span, spans
from palaver.sync.intake.echoing import Echoing, Ground
from palaver.sync.intake.events import Batch, Place, draft, hashed
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.opening import opened
from palaver.sync.render import attic
from palaver.sync.render.debts import Owed
from palaver.sync.turn import Turn
from palaver.views.files import sources

_LONGEST = 16 * CHUNK_BYTES
#: Files of lines that we write as a whole: a line of ours there is known, in the first life of the file too.
PROJECTED = (".work/work_orders.jsonl",)


def take_growth(  # noqa: PLR0917 - which file, what is known of it, and how much of it
    intake: Intake, file: str, path: str, owed: Owed, known: int = 0, turn: Turn | None = None
) -> bool:
    """Take in what is new in a file that grows; of one that is new, so many bytes are known already.

    Return True if it was read to its end, False if the turn of this pass ended before.
    """
    # What was dropped into an inbox may be said again here.
    intake.flush()
    fd, found = opened(path)
    try:
        reading = _Reading(intake, file, fd, owed, known)
        reading.begin(found)
        while reading.unread and not (turn and turn.is_over(reading.taken)):
            before = reading.taken
            reading.chunk()
            if turn:
                turn.add(reading.taken - before)
        return not reading.unread
    finally:
        os.close(fd)


class _Reading(Ground):
    """One file that grows, while it is read."""

    def __init__(self, intake: Intake, file: str, fd: int, owed: Owed, known: int) -> None:
        self._known = known
        self.intake = intake
        self.file = file
        self._fd = fd
        self._owed = owed
        self._source = intake.sources.get(file)
        self._gen = self._source.gen if self._source else 0
        self._start = self._source.ending if self._source else 0
        # How long the file was when it was opened first: while its mount is new, that much of it is history.
        self._past = self._source.past if self._source else 0
        self._size = 0
        #: How many bytes were taken in.
        self.taken = 0
        self._quiet = False
        # How often each piece stands in this life of the file so far, and how often it stood there before.
        self._counts: dict[str, tuple[int, int]] = {}
        self._chunk_bytes = CHUNK_BYTES
        self.unread = True

    def begin(self, found: os.stat_result) -> None:
        """Find out whether it is still the file that we know."""
        self._size = found.st_size
        self._quiet = keeping.is_quiet(found)
        mark = f"{found.st_dev}:{found.st_ino}"
        source = self._source
        if source is None or not source.gen:
            if source is not None:
                # It is new, and what we were about to put there is known.
                self._remember(source)
            self._renew("file.opened", mark, "")
        elif why := self._rewritten(source, mark):
            self._remember(source)
            self._renew("file.rewritten", mark, why)
        if self.history and self._size > self._past:
            # What was written since then is news, for the next pass.
            self._size = self._past
            self.intake.report.unsettled = True
        self.unread = self._size > self._start

    def _remember(self, source: sources.Source) -> None:
        held = sources.remembered(self.intake.db, source.number)
        self._counts = {sha: (0, max(now, before)) for sha, (now, before) in held.items()}

    def _rewritten(self, source: sources.Source, mark: str) -> str:
        if self._size < source.ending:
            return "it is shorter than it was"
        if source.mark != mark:
            return "another file was put in its place"
        if source.length and hashed(self.content(source.offset, source.length)) != source.sha:
            return "what stood there was changed"
        return ""

    def _renew(self, event_type: str, mark: str, why: str) -> None:
        self._gen += 1
        self._start = self._known
        self._past = self._size
        entry: dict[str, object] = {"mark": mark, "size": self._size}
        if why:
            entry["why"] = why
            assert self._source is not None
            each, inode = self.intake.mounted, self._source.mark.rpartition(":")[2]
            if not attic.is_replaced(self.intake.core.root, each.name, each.path, inode):
                self.intake.report.rewritten(self.intake.mounted.name, self.file, why)
        self.intake.append(self._fd, Batch([draft(event_type, entry, self.place().src(self._start, 0, ""))]))

    def chunk(self) -> None:
        """Take in one chunk, as far as it says whole things.

        Next to nothing that is made of it outlives it, and nothing is part of a cycle: the collector would
        look at all of it again and again, in vain.
        """
        collects = gc.isenabled()
        gc.disable()
        try:
            self._chunk()
        finally:
            if collects:
                gc.enable()

    def _chunk(self) -> None:
        content = self.content(self._start, min(self._chunk_bytes, self._size - self._start))
        ends = self._start + len(content) >= self._size
        found = [*spans(content, self._owed.files.get(self.file, ()))]
        if all(span.seq > FOREIGN for span in found):
            self._confirm(content, found, ends=ends)
            return
        from palaver.sync.intake.laying import begun

        batch, laying = begun(self)
        reached = 0
        for span in found:
            if span.seq == UNFINISHED:
                break
            piece = content[span.start : span.end]
            start = self._start + span.start
            if span.seq != FOREIGN:
                laying.ours(span, piece, start)
            else:
                last = span.end == len(content)
                reached = laying.foreign(self._parsed(piece, start, last=last, ends=ends), piece, start)
                reached -= self._start
                if reached < span.end:
                    break
            reached = span.end
        laying.close()
        self._skip(batch, max(laying.ending, self._start), content[:reached])
        self.intake.append(self._fd, batch)
        self.intake.report.read(reached)
        self._go_on(content, reached, ends=ends)

    def _confirm(self, content: bytes, found: list[Span], *, ends: bool) -> None:
        """Take in a chunk in which nobody else has written: the usual case, and one that loads no parser."""
        batch = Batch()
        echoing = Echoing(self, batch)
        for span in found:
            echoing.echo(span.seq, content[span.start : span.end], self._start + span.start)
        echoing.close()
        self.intake.append(self._fd, batch)
        self.intake.report.read(len(content))
        self._go_on(content, len(content), ends=ends)

    def _skip(self, batch: Batch, start: int, content: bytes) -> None:
        """Note a long end of nothing but blanks: else everybody would read it again each time."""
        blank = content[start - self._start :]
        if len(blank) > RUN_BYTES and not blank.strip():
            src = self.place().src(start, len(blank), hashed(blank))
            batch.drafts.append(draft("file.kept", {"blank": True}, src))

    def _advance(self, count: int) -> None:
        self._start += count
        self.taken += count

    def _go_on(self, content: bytes, reached: int, *, ends: bool) -> None:
        self._advance(reached)
        endless = len(content) - reached > 2 * LINE_BYTES
        if not content or (ends and not endless):
            self.unread = False
        elif reached and not ends:
            self._chunk_bytes = CHUNK_BYTES
        elif not ends and self._chunk_bytes < _LONGEST:
            self._chunk_bytes *= 2
        else:
            self._give_up(content[reached:])

    def _give_up(self, content: bytes) -> None:
        """Put the beginning of something endless into quarantine; lines before it are whole."""
        lines = content.rfind(b"\n", 0, LINE_BYTES) + 1
        length = lines or LINE_BYTES
        from palaver.sync.intake.laying import begun

        batch, laying = begun(self)
        if lines:
            laying.foreign(
                self._parsed(content[:lines], self._start, last=False, ends=False), content, self._start
            )
            laying.close()
        else:
            piece = Piece(Kind.QUARANTINED, self._start, length, 0, reason="too-long")
            laying.quarantine(piece, content[:length], "it does not end where a record would have to")
        self.intake.append(self._fd, batch)
        self._advance(length)
        self._chunk_bytes = CHUNK_BYTES

    def _parsed(self, content: bytes, offset: int, *, last: bool, ends: bool) -> Parsed:
        """Parse others' bytes; those behind which something of ours stands are whole."""
        mounted = self.intake.mounted
        path = attic.name_of(self.file)

        def parsed(*, whole: bool) -> Parsed:
            return mounted.dialect.parse(
                Source(path=path, content=content, mount=mounted.mount, offset=offset, whole=whole)
            )

        if not last:
            return parsed(whole=True)
        if not ends:
            return parsed(whole=False)
        if not content.endswith(b"\n"):
            return self._before_a_tail(parsed(whole=False), content, offset)
        found = parsed(whole=True)
        is_closed = mounted.dialect.is_closed
        if is_closed is None or self._quiet or is_closed(found, content):
            return found
        self.intake.report.unsettled = True
        return parsed(whole=False)

    def _before_a_tail(self, found: Parsed, content: bytes, offset: int) -> Parsed:
        """Return what stands before a line without an end: it may be part of that, but not for ever."""
        cut = content.rfind(b"\n") + 1
        held = cut and found.pieces[-1].kind is Kind.PENDING and found.pieces[-1].start < offset + cut
        if not held or self.intake.mounted.dialect.is_closed is not None:
            return found
        if not self._quiet:
            self.intake.report.unsettled = True
            return found
        before = self._parsed(content[:cut], offset, last=False, ends=False)
        tail = Piece(Kind.PENDING, offset + cut, len(content) - cut, 0)
        return Parsed((*before.pieces, tail), before.findings)

    # --- what events are laid over ---

    def place(self) -> Place:
        """Return the file, and which of its lives this is."""
        return Place(mount=self.intake.mounted.name, file=self.file, gen=self._gen)

    @property
    def history(self) -> bool:
        """Return True if what is read now was written before the mount was there."""
        return self.intake.history and self._start < self._past

    @property
    def remembers(self) -> bool:
        """Tell whether anything could have stood in the file before."""
        return self._gen > 1 or self.file in PROJECTED

    def seen(self, sha: str) -> bool:
        """Tell whether a piece stood in the file before it was rewritten, as often as by now."""
        if not self.remembers:
            return False
        now, before = self._counts.get(sha) or self._count(sha)
        self._counts[sha] = (now + 1, before)
        return now < before

    def take_carried(self, sha: str) -> int:
        """Return the event of a line that was copied from a replaced file, if a piece is that line."""
        return self._owed.take_carried(self.file, sha)

    def _count(self, sha: str) -> tuple[int, int]:
        """Return how often a piece stands in the file, and how often it stood there before."""
        if self._source is None or self._gen > self._source.gen:
            # Of a file that was rewritten this very moment all that stood there is known.
            return (0, 0)
        return sources.counted(self.intake.db, self._source.number, sha)

    def confirmed(self, seqs: list[int]) -> dict[str, object]:
        """Note what stands in the file; return what the log is to know of it."""
        return self._owed.confirmed(self.file, seqs)

    def line_of(self, offset: int) -> int:
        """Return the line of a byte, counted when somebody wants to know it."""
        gen, place, line = self.intake.lines.get(self.file, (0, 0, 1))
        if gen != self._gen or place > offset:
            place, line = 0, 1
        while place < offset and (piece := self.content(place, min(CHUNK_BYTES, offset - place))):
            line += piece.count(b"\n")
            place += len(piece)
        self.intake.lines[self.file] = (self._gen, place, line)
        return line

    def content(self, offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        return os.pread(self._fd, length, offset)
