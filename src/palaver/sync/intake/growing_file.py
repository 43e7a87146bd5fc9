"""A file that grows: read from the place that the log has reached, and split into entries.

If the bytes before that place have changed, or the file is shorter, or is another one, then it was rewritten.
A new generation begins, and a line is new only if it occurs more often than before.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import replace

from palaver.log.clock import iso_second
from palaver.model.dialect import Finding, Kind, Parsed, Piece, Source
from palaver.model.event import Draft
from palaver.model.limits import CHUNK_BYTES, FUTURE_SECONDS, LINE_BYTES, RUN_BYTES
from palaver.model.message import Message
from palaver.sync import foreign_file, replaced_files
from palaver.sync.foreign_file import open_to_read
from palaver.sync.intake.echoes import FOREIGN, TORN, UNFINISHED, Renderings
from palaver.sync.intake.file_entries import EntryKind, FileBlock, FileEntry
from palaver.sync.intake.file_events import FilePlace, draft, hashed
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.intake.read_quota import ReadQuota
from palaver.sync.render.debts import Debt
from palaver.views.files import sources

_LONGEST = 16 * CHUNK_BYTES


class GrowingFile:
    """One file that grows, open for one pass."""

    def __init__(
        self,
        intake: Intake,
        file: str,
        path: str,
        owed: Debt,
        quota: ReadQuota,
        *,
        block_bytes: int = CHUNK_BYTES,
        known: int = 0,
    ) -> None:
        """Open the file; of one that is new, `known` bytes are in the log already.

        Raise `Unfit` if it is no file that we may read, FileNotFoundError if it is gone.
        """
        self._intake = intake
        self.file = file
        self.fd, found = open_to_read(path)
        self._owed = owed
        self._quota = quota
        self._source = intake.sources.get(file)
        #: The event that begins a generation of the file, if one begins now.
        self.opening: Draft | None = None
        self._start = self._source.ending if self._source else known
        self._size = found.st_size
        self._quiet = foreign_file.is_quiet(found)
        self._counts: dict[str, tuple[int, int]] = {}
        #: Whether its end may become whole by itself in a moment.
        self.is_unsettled = False
        gen, past = self._begin(f"{found.st_dev}:{found.st_ino}", known)
        self.place = FilePlace(
            mount=intake.mounted.name, file=file, gen=gen, history=intake.history and self._start < past
        )
        if self.place.history and self._size > past:
            # What was written since then is news, for the next pass.
            self._size = past
            self.is_unsettled = True
        # Whether any of its entries may have been in the file before.
        self._remembers = gen > 1 or intake.mounted.dialect.board_files.codec(file) is not None
        self._renderings = Renderings(owed.files.get(file, ()))
        self._block_bytes = block_bytes
        self._usual_bytes = block_bytes
        self._taken = 0
        self._time = ""
        self._latest = iso_second(int(time.time()) + FUTURE_SECONDS)
        #: Whether a part of the file is left to the next pass.
        self.is_cut = False

    def close(self) -> None:
        """Close the file."""
        os.close(self.fd)

    # --- which file it is ---

    def _begin(self, mark: str, known: int) -> tuple[int, int]:
        """Compare it with the file in the log; return its generation, and how many bytes are history."""
        source = self._source
        if source is None or not source.gen:
            if source is not None:
                # It is new, and what we were about to put there is known.
                self._remember(source)
            return self._renew("file.opened", mark, "", known)
        if why := self._rewritten(source, mark):
            self._remember(source)
            return self._renew("file.rewritten", mark, why, known)
        return source.gen, source.past

    def _remember(self, source: sources.KnownFile) -> None:
        held = sources.remembered(self._intake.db, source.number)
        self._counts = {sha: (0, max(now, before)) for sha, (now, before) in held.items()}

    def _rewritten(self, source: sources.KnownFile, mark: str) -> str:
        if self._size < source.ending:
            return "it is shorter than it was"
        if source.mark != mark:
            return "another file was put in its place"
        if source.length and hashed(self.content(source.offset, source.length)) != source.sha:
            return "its recorded bytes were changed"
        return ""

    def _renew(self, event_type: str, mark: str, why: str, known: int) -> tuple[int, int]:
        gen = self._source.gen + 1 if self._source else 1
        self._start = known
        entry: dict[str, object] = {"mark": mark, "size": self._size}
        if why:
            entry["why"] = why
            assert self._source is not None
            each, inode = self._intake.mounted, self._source.mark.rpartition(":")[2]
            if not replaced_files.is_replaced(self._intake.core.root, each.name, each.path, inode):
                self._intake.report.rewritten(each.name, self.file, why)
        place = FilePlace(mount=self._intake.mounted.name, file=self.file, gen=gen)
        self.opening = draft(event_type, entry, place.src(known, 0, ""))
        return gen, self._size

    # --- reading ---

    def blocks(self) -> Iterator[list[FileEntry]]:
        """Yield what is new in the file, block by block, until its end or the end of the quota."""
        while self._start < self._size:
            if self._quota.is_over(self._taken):
                self.cut()
                return
            before = self._start
            yield self._read_block()
            self._taken += self._start - before
            self._quota.add(self._start - before)
            self._intake.report.read(self._start - before)

    def cut(self) -> None:
        """Leave the rest of the file to the next pass."""
        self.is_cut = True

    def _read_block(self) -> list[FileEntry]:
        """Return the complete entries of one block, and move on behind them."""
        length = min(self._block_bytes, self._size - self._start)
        block = FileBlock(self._start, self.content(self._start, length))
        ends = block.start + len(block.content) >= self._size
        found: list[FileEntry] = []
        reached = 0
        for span in self._renderings.spans(block.content):
            if span.seq == UNFINISHED:
                break
            start, end = block.start + span.start, block.start + span.end
            if span.seq == TORN:
                why = ("torn-rendering", "our own write was interrupted here; it was repeated")
                found.append(FileEntry(EntryKind.JUNK, block, start, end, self._time, reason=why))
            elif span.seq != FOREIGN:
                found.append(FileEntry(EntryKind.OURS, block, start, end, self._time, seq=span.seq))
            else:
                last = span.end == len(block.content)
                parsed = self._parsed(block.slice(start, end), start, last=last, ends=ends)
                found += self._foreign(block, parsed)
                reached = _end_of(parsed, start) - block.start
                if reached < span.end:
                    break
            reached = span.end
        found += self._skipped(block, found[-1].end if found else block.start, block.start + reached)
        return found + self._move_on(block, reached, ends=ends)

    def _skipped(self, block: FileBlock, start: int, end: int) -> list[FileEntry]:
        """Return a long end of nothing but blanks: else every pass would read it again."""
        if end - start <= RUN_BYTES or block.slice(start, end).strip():
            return []
        return [FileEntry(EntryKind.BLANK, block, start, end, self._time)]

    def _move_on(self, block: FileBlock, reached: int, *, ends: bool) -> list[FileEntry]:
        self._start += reached
        left = len(block.content) - reached
        if not block.content or (ends and left <= 2 * LINE_BYTES):
            # Nothing more to read, or the beginning of an entry that is still being written.
            self._size = self._start
        elif reached and not ends:
            self._block_bytes = self._usual_bytes
        elif not ends and self._block_bytes < _LONGEST:
            self._block_bytes *= 2
        else:
            return self._give_up(FileBlock(self._start, block.content[reached:]))
        return []

    def _give_up(self, block: FileBlock) -> list[FileEntry]:
        """Return the start of an entry without an end, for the quarantine; lines before it are complete."""
        self._block_bytes = self._usual_bytes
        lines = block.content.rfind(b"\n", 0, LINE_BYTES) + 1
        self._start += lines or LINE_BYTES
        if lines:
            parsed = self._parsed(block.content[:lines], block.start, last=False, ends=False)
            return self._foreign(block, parsed)
        why = ("too-long", "it does not end where a record would have to")
        return [FileEntry(EntryKind.JUNK, block, block.start, self._start, self._time, reason=why)]

    def _parsed(self, content: bytes, offset: int, *, last: bool, ends: bool) -> Parsed:
        """Parse bytes of others; those before a rendering of ours are complete."""
        mounted = self._intake.mounted
        is_whole = not last or (ends and content.endswith(b"\n"))
        path = replaced_files.name_of(self.file)
        source = Source(path=path, content=content, mount=mounted.mount, offset=offset, whole=is_whole)
        found = mounted.dialect.parse(source)
        if not (last and ends):
            return found
        if not is_whole:
            return self._before_a_tail(found, content, offset)
        is_closed = mounted.dialect.is_closed
        if is_closed is None or self._quiet or is_closed(found, content):
            return found
        self.is_unsettled = True
        return mounted.dialect.parse(replace(source, whole=False))

    def _before_a_tail(self, found: Parsed, content: bytes, offset: int) -> Parsed:
        """Return what stands before a line without an end: it may be part of that, but not for ever."""
        cut = content.rfind(b"\n") + 1
        held = cut and found.pieces[-1].kind is Kind.PENDING and found.pieces[-1].start < offset + cut
        if not held or self._intake.mounted.dialect.is_closed is not None:
            return found
        if not self._quiet:
            self.is_unsettled = True
            return found
        before = self._parsed(content[:cut], offset, last=False, ends=False)
        tail = Piece(Kind.PENDING, offset + cut, len(content) - cut, 0)
        return Parsed((*before.pieces, tail), before.findings)

    # --- entries of others ---

    def _foreign(self, block: FileBlock, parsed: Parsed) -> list[FileEntry]:
        """Return the entries of what others wrote; what the log has already is marked as kept."""
        findings: dict[int, list[Finding]] = {}
        for finding in parsed.findings:
            findings.setdefault(finding.place.offset, []).append(finding)
        return [
            self._entry(block, piece, tuple(findings.get(piece.start, ())))
            for piece in parsed.pieces
            if piece.kind is not Kind.PENDING and piece.kind is not Kind.BLANK
        ]

    def _entry(self, block: FileBlock, piece: Piece, findings: tuple[Finding, ...]) -> FileEntry:
        start, end = piece.start, piece.start + piece.length
        messages = tuple([value for value in piece.values if type(value) is Message])
        self._time = self._time_of(messages)
        if self._remembers or self._owed.late:
            sha = hashed(block.slice(start, end))
            late = 0 if (seen := self._seen(sha)) else self._owed.take_late(self.file, sha)
            if seen or late:
                return FileEntry(EntryKind.KEPT, block, start, end, self._time, seq=late)
        if piece.kind is Kind.QUARANTINED:
            why = (piece.reason, findings[0].message if findings else "")
            return FileEntry(EntryKind.JUNK, block, start, end, self._time, reason=why)
        return FileEntry(
            EntryKind.NEW, block, start, end, self._time, piece.values, messages, findings=findings
        )

    def _time_of(self, messages: tuple[Message, ...]) -> str:
        """Return the time of an entry for the order across files.

        An entry without a time, or with one that goes back or is in the future, has that of the entry before.
        """
        for message in messages:
            if message.at:
                at = message.at.rstrip("Z")
                return at if self._time < at <= self._latest else self._time
        return self._time

    def _seen(self, sha: str) -> bool:
        """Return True if a piece stood in the file before it was rewritten, as often as by now."""
        if not self._remembers:
            return False
        now, before = self._counts.get(sha) or self._count(sha)
        self._counts[sha] = (now + 1, before)
        return now < before

    def _count(self, sha: str) -> tuple[int, int]:
        """Return how often a piece stands in the file, and how often it stood there before."""
        if self._source is None or self.place.gen > self._source.gen:
            # Of a file that was rewritten this very moment all that stood there is known.
            return (0, 0)
        return sources.counted(self._intake.db, self._source.number, sha)

    # --- for other stages ---

    def line_of(self, offset: int) -> int:
        """Return the line number of a byte; lines are counted only on demand."""
        gen, place, line = self._intake.lines.get(self.file, (0, 0, 1))
        if gen != self.place.gen or place > offset:
            place, line = 0, 1
        while place < offset and (piece := self.content(place, min(CHUNK_BYTES, offset - place))):
            line += piece.count(b"\n")
            place += len(piece)
        self._intake.lines[self.file] = (self.place.gen, place, line)
        return line

    def content(self, offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        return os.pread(self.fd, length, offset)


def _end_of(parsed: Parsed, start: int) -> int:
    """Return where the pieces end that are whole: before what is pending."""
    whole = [piece for piece in parsed.pieces if piece.kind is not Kind.PENDING]
    return whole[-1].start + whole[-1].length if whole else start
