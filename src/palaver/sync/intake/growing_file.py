"""A file that grows: read from the place that the log has reached, and split into entries.

If the bytes before that place have changed, or the file is shorter, or is another one, then it was rewritten.
A new generation begins, and a line is new only if it occurs more often than before.
"""

import os
import time
from dataclasses import replace

from palaver.log.clock import iso_second
from palaver.model.event import Draft, original_file
from palaver.model.limits import CHUNK_BYTES, FUTURE_SECONDS, LINE_BYTES, RUN_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Finding, Kind, Parsed, Piece, Provenance, Source
from palaver.sync import foreign_file
from palaver.sync.intake.echoes import FOREIGN, TORN, UNFINISHED, Renderings
from palaver.sync.intake.file_events import EntryKind, FileBlock, FileEntry, FilePlace, draft, hashed
from palaver.sync.intake.mount_intake import TORN_RENDERING, MountIntake
from palaver.views.files import known_files

_LONGEST = 16 * CHUNK_BYTES
_TORN = (TORN_RENDERING, "our own write was interrupted here; it was repeated")
_TOO_LONG = ("too-long", "it does not end where a record would have to")


class GrowingFile:
    """One file that grows, open for one pass."""

    def __init__(
        self,
        intake: MountIntake,
        file: str,
        path: str,
        block_bytes: int,
        known: int = 0,
        *,
        is_suspect: bool = False,
    ) -> None:
        """Open the file; of one that is new, `known` bytes are in the log already.

        Of one that is suspect, all recorded bytes are compared with the log, not only the last piece.
        Raise `Unfit` if it is no file that we may read, FileNotFoundError if it is gone.
        """
        self._intake, self.file, self.source = intake, file, intake.sources.get(file)
        self.fd, found = foreign_file.open_to_read(path)
        self._is_suspect, self._rewritten_end = is_suspect, self.source.rewritten if self.source else 0
        #: The event that begins a generation of the file, if one begins now.
        self.opening: Draft | None = None
        #: The next byte to read, and where reading ends.
        self.start = self.source.ending if self.source else known
        self._size = found.st_size
        #: Whether nobody wrote to it for a while.
        self.is_quiet = foreign_file.is_quiet(found)
        # By hash of an entry: how often it is in the file, and how often it was there before.
        self._counts: dict[str, tuple[int, int]] = {}
        # What the log knows of a new generation from other names or mounts.
        self._former: list[known_files.KnownFile] = []
        #: What the rules find in the last block, if it is history.
        self.broken_rules: list[Finding] = []
        #: Whether no program will complete its last line.
        self.ends_here = False
        #: Whether its end may become whole by itself in a moment.
        self.is_unsettled = False
        self.mark = f"{found.st_dev}:{found.st_ino}"
        gen, past = self._begin(self.mark, known)
        mail = intake.mounted.dialect.mail_file
        # From where on messages are known by their ids alone: what was appended to a file of all mail.
        self._appended = past if mail is not None and mail.file == file else -1
        #: Whether it is read where another program has rewritten it.
        self.is_rewritten = self.start < self._rewritten_end
        is_history = intake.history and self.start < past
        if is_history and self._size > past:
            is_history = self._leave_news(past, block_bytes)
        self.place = FilePlace(
            mount=intake.mounted.name, file=file, gen=gen, history=is_history, rewritten=self._rewritten_end
        )
        self._remembers = gen > 1 or self._may_repeat()
        self._renderings: Renderings | None = None
        self._block_bytes = self._usual_bytes = block_bytes
        self._time = ""
        self._latest = iso_second(int(time.time()) + FUTURE_SECONDS)
        #: Whether a part of the file is left to the next pass.
        self.is_cut = False

    def _may_repeat(self) -> bool:
        """Return True if entries of a new file may be known: from another name, or because we wrote it."""
        is_known = self._former or (self.source and self.source.former)
        return bool(is_known) or self._intake.mounted.dialect.board_files.codec(self.file) is not None

    def _leave_news(self, past: int, block_bytes: int) -> bool:
        """Leave what was written since the mount to the next pass; return False if all of it is news."""
        intake, is_history = self._intake, True
        if past - self.start <= block_bytes and intake.mounted.dialect.is_closed is not None:
            # The last entry of the history is complete if another one follows; else it is news, too.
            is_history = intake.begins_entry(self.file, past, self.content(past, block_bytes))
            self.is_quiet |= is_history
        if is_history:
            self._size, self.is_unsettled = past, True
        return is_history

    @property
    def has_more(self) -> bool:
        """Return True if the end of the file is not reached."""
        return self.start < self._size

    # --- which file it is ---

    def _begin(self, mark: str, known: int) -> tuple[int, int]:
        """Compare it with the file in the log; return its generation, and how many bytes are history."""
        source, why = self.source, ""
        if source is not None and source.gen:
            why = self._rewritten(source, mark)
            if not why:
                return source.gen, source.past
        self._former = self._intake.former(self.file, mark, self.content)
        # What it held before is known; of a file that is new, what we were about to put there.
        for each in (source, *self._former):
            held = known_files.remembered(self._intake.db, each.number) if each else {}
            for sha, counts in held.items():
                self._counts[sha] = (0, max(*counts, *self._counts.get(sha, ())))
        return self._renew("file.rewritten" if why else "file.opened", mark, why, known)

    def _rewritten(self, source: known_files.KnownFile, mark: str) -> str:
        if self._size < source.ending:
            return "it is shorter than it was"
        if source.mark != mark:
            return "another file was put in its place"
        if source.length and hashed(self.content(source.offset, source.length)) != source.sha:
            return "its recorded bytes were changed"
        if self._is_suspect and not all(
            map(self._is_unchanged, known_files.spans(self._intake.db, source.number))
        ):
            return "its recorded bytes were changed"
        return ""

    def _is_unchanged(self, span: known_files.Span) -> bool:
        return hashed(self.content(span.offset, span.length)) == span.sha

    def _renew(self, event_type: str, mark: str, why: str, known: int) -> tuple[int, int]:
        gen = self.source.gen + 1 if self.source else 1
        self.start, self._rewritten_end = known, 0
        entry: dict[str, object] = {"mark": mark, "size": self._size}
        intake, name = self._intake, self._intake.mounted.name
        if why:
            entry["why"] = why
            assert self.source is not None
            inode = self.source.mark.rpartition(":")[2]
            is_same = self.source.mark == mark
            if not is_same and (path := intake.find_renamed(self.file, self.source.mark)):
                entry["rotated"] = True
                why = f"it was rotated: the file before is {os.path.basename(path)} now"
                intake.report.notes.append((name, self.file, why))
            elif any(str(old.held_inode) == inode and old.is_replaced_by(self.fd) for old in intake.replaced):
                entry["ours"] = True
            else:
                # One that is saved in place is empty for a moment.
                self._rewritten_end = max(self._size, self.source.ending if is_same else 0)
                intake.report.notes.append((name, self.file, f"it was rewritten: {why}"))
        if self._former:
            entry["former"] = [{"mount": each.mount, "file": each.file} for each in self._former]
        src = FilePlace(mount=name, file=self.file, gen=gen).src(known, 0, "")
        self.opening = draft(event_type, entry, src)
        return gen, self._size

    # --- reading ---

    def read_block(self) -> list[FileEntry]:
        """Return the complete entries of one block, and move on behind them."""
        content = self.content(self.start, min(self._block_bytes, self._size - self.start))
        block = FileBlock(self.start, content)
        ends = block.start + len(content) >= self._size
        if self._renderings is None:
            self._renderings = Renderings(self._intake.debt.files.get(self.file, ()))
        found: list[FileEntry] = []
        reached = 0
        for span in self._renderings.spans(content):
            if span.seq == UNFINISHED:
                break
            start, end = block.start + span.start, block.start + span.end
            reached = span.end
            if span.seq == TORN:
                found.append(FileEntry(EntryKind.JUNK, block, start, end, self._time, reason=_TORN))
            elif span.seq != FOREIGN:
                found.append(FileEntry(EntryKind.OURS, block, start, end, self._time, seq=span.seq))
            else:
                is_last = span.end == len(content)
                parsed = self._parse(block.slice(start, end), start, is_last=is_last, ends=ends)
                found += self._entries(block, parsed)
                whole = [piece for piece in parsed.pieces if piece.kind is not Kind.PENDING]
                reached = whole[-1].start + whole[-1].length - block.start if whole else span.start
                if reached < span.end:
                    break
        behind = found[-1].end if found else block.start
        if (
            block.start + reached - behind > RUN_BYTES
            and not block.slice(behind, block.start + reached).strip()
        ):
            # A long end of nothing but blanks: else every pass would read it again.
            found.append(FileEntry(EntryKind.BLANK, block, behind, block.start + reached, self._time))
        return found + self._move_on(block, reached, ends=ends)

    def _move_on(self, block: FileBlock, reached: int, *, ends: bool) -> list[FileEntry]:
        """Move on behind the entries of a block; return one that has no end."""
        self.start += reached
        left = len(block.content) - reached
        if not block.content or (ends and left <= 2 * LINE_BYTES):
            # Nothing more to read, or the beginning of an entry that is still being written.
            self._size = self.start
        elif reached and not ends:
            self._block_bytes = self._usual_bytes
        elif not ends and self._block_bytes < _LONGEST:
            self._block_bytes *= 2
        else:
            return self._give_up(FileBlock(self.start, block.content[reached:]))
        return []

    def _give_up(self, block: FileBlock) -> list[FileEntry]:
        """Return the start of an entry without an end, for the quarantine; lines before it are complete."""
        self._block_bytes = self._usual_bytes
        lines = block.content.rfind(b"\n", 0, LINE_BYTES) + 1
        self.start += lines or LINE_BYTES
        if lines:
            parsed = self._parse(block.content[:lines], block.start, is_last=False, ends=False)
            return self._entries(block, parsed)
        return [FileEntry(EntryKind.JUNK, block, block.start, self.start, self._time, reason=_TOO_LONG)]

    def _parse(self, content: bytes, offset: int, *, is_last: bool, ends: bool) -> Parsed:
        """Parse bytes of others; those before a rendering of ours are complete."""
        mounted = self._intake.mounted
        is_whole = not is_last or (ends and (self.ends_here or content.endswith(b"\n")))
        path = original_file(self.file)
        source = Source(
            path=path,
            content=content,
            mount=mounted.mount,
            offset=offset,
            whole=is_whole,
            provenance=Provenance.NONE,
            is_known=self._intake.resolver.names.is_known,
        )
        found = mounted.dialect.parse(source)
        if not (is_last and ends):
            return found
        if not is_whole:
            return self._before_a_tail(found, content, offset)
        is_closed = mounted.dialect.is_closed
        if is_closed is None or self.is_quiet or is_closed(found, content):
            return found
        self.is_unsettled = True
        self._intake.has_open_history |= self.place.history
        return mounted.dialect.parse(replace(source, whole=False))

    def _before_a_tail(self, found: Parsed, content: bytes, offset: int) -> Parsed:
        """Return the lines before a line without an end: they may be part of it, but not for ever."""
        cut = content.rfind(b"\n") + 1
        held = cut and found.pieces[-1].kind is Kind.PENDING and found.pieces[-1].start < offset + cut
        if not held or self._intake.mounted.dialect.is_closed is not None:
            return found
        if not self.is_quiet:
            self.is_unsettled = True
            return found
        before = self._parse(content[:cut], offset, is_last=False, ends=False)
        tail = Piece(Kind.PENDING, offset + cut, len(content) - cut, 0)
        return Parsed((*before.pieces, tail), before.findings)

    # --- entries of others ---

    def _entries(self, block: FileBlock, parsed: Parsed) -> list[FileEntry]:
        """Return the entries of what others wrote; what the log has already is marked as kept."""
        findings: dict[int, tuple[Finding, ...]] = {}
        for finding in (*parsed.findings, *self._rule_findings(block, parsed)):
            findings[finding.place.offset] = (*findings.get(finding.place.offset, ()), finding)
        may_be_known = self._remembers or bool(self._intake.debt.late)
        found: list[FileEntry] = []
        for kind, start, length, _, values, reason in parsed.pieces:
            if kind is Kind.PENDING or kind is Kind.BLANK:
                continue
            end = start + length
            messages = tuple([value for value in values if type(value) is Message])
            self._advance_time(messages)
            has_id = bool(messages) and 0 <= self._appended <= start
            if may_be_known and (kept := self._kept(block, start, end, has_id=has_id)):
                found.append(kept)
                continue
            odd = findings.get(start, ())
            if kind is Kind.QUARANTINED:
                why = (reason, "; ".join(dict.fromkeys(each.message for each in odd)))
                found.append(FileEntry(EntryKind.JUNK, block, start, end, self._time, reason=why))
            else:
                new = EntryKind.NEW
                found.append(FileEntry(new, block, start, end, self._time, values, messages, findings=odd))
        return found

    def _rule_findings(self, block: FileBlock, parsed: Parsed) -> list[Finding]:
        """Return what the rules of the dialect find; what they find in history is set aside."""
        path, mount = original_file(self.file), self._intake.mounted.mount
        source = Source(path=path, content=block.content, mount=mount, offset=block.start)
        number = self.source.number if self.source and self.source.gen == self.place.gen else 0
        found = [*self._intake.rule_findings(source, parsed, number, self.content)]
        self.broken_rules = found if self.place.history else []
        return [] if self.place.history else found

    def _advance_time(self, messages: tuple[Message, ...]) -> None:
        """Set the time of an entry for the order across files.

        An entry without a time, or with one that goes back or is in the future, has that of the entry before.
        """
        for message in messages:
            if message.at:
                at = message.at.rstrip("Z")
                if self._time < at <= self._latest:
                    self._time = at
                return

    def _kept(self, block: FileBlock, start: int, end: int, *, has_id: bool) -> FileEntry | None:
        """Return an entry that was in the file before, or is a late line; None for others."""
        sha = hashed(block.slice(start, end))
        late = 0
        if not (self._remembers and self._was_there(sha)) or has_id:
            late = self._intake.debt.take_late(self.file, sha)
            if not late:
                return None
        return FileEntry(EntryKind.KEPT, block, start, end, self._time, seq=late)

    def _was_there(self, sha: str) -> bool:
        """Return True if an entry was in the file before it was rewritten, as often as by now."""
        count = self._counts.get(sha)
        if count is None:
            # Of a file that was rewritten at this moment all that it held is known.
            is_renewed = self.source is None or self.place.gen > self.source.gen
            number = self.source.number if self.source else 0
            count = (0, 0) if is_renewed else known_files.counted(self._intake.db, number, sha)
        now, before = count
        self._counts[sha] = (now + 1, before)
        return now < before

    # --- for other stages ---

    def count_of(self, sha: str, known: int) -> int:
        """Return how often an entry is in the file, of which the log had `known` when it was opened."""
        return self._counts[sha][0] if sha in self._counts else known

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
