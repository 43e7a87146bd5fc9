"""Files that grow, those of a mount together: their entries become events, in the order of their times.

Within a file the order of its bytes always holds (docs/adr/0030). A file whose quota ends before its last
byte is *cut*. Entries of other files after the cut may be later than the rest of the cut file, so they wait
for the next pass. Only fresh entries do not wait: a conversation must not stop because of a backlog.

Consecutive entries of one kind become one event.
"""

import gc
import time
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from operator import attrgetter

from palaver.log.clock import iso_second
from palaver.model.errors import Refusal
from palaver.model.event import REPLACED, Draft, original_file
from palaver.model.limits import ENTRY_BYTES, ENTRY_LINES, FRESH_SECONDS, RUN_BYTES, RUN_PIECES
from palaver.model.message import Message
from palaver.model.mounted_files import Finding, Growth
from palaver.sync.intake.edit_notice import edit_notice
from palaver.sync.intake.file_events import (
    EntryKind,
    FileEntry,
    IntakeBatch,
    LineNote,
    draft,
    effective,
    hashed,
    said_by,
)
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.mount_intake import TORN_RENDERING, MountIntake, ReadQuota
from palaver.sync.intake.quarantine_store import MIXED, OpenEntry
from palaver.sync.mounts.mount_point import MountPoint
from palaver.views.files.findings import findings_of

#: How many entries, and how many bytes, become one event.
_LIMITS = {
    EntryKind.OURS: (RUN_PIECES, RUN_BYTES),
    EntryKind.KEPT: (RUN_PIECES, RUN_BYTES),
    EntryKind.JUNK: (ENTRY_LINES, ENTRY_BYTES),
}

# Events that are put into the log at once.
_TOGETHER = 2_048


def take_in_logs(intake: MountIntake, files: Sequence[GrowingFile], quota: ReadQuota) -> None:
    """Record what is new in these files; a file of which a part is left is cut."""
    # A line may repeat a file of an inbox, so that comes first.
    intake.flush()
    intake.fds = [file.fd for file in files]
    intake.batch.drafts += [file.opening for file in files if file.opening]
    streams = [FileIntake(intake, file, quota) for file in files]
    # Next to nothing that is made of entries outlives them, and nothing is part of a cycle: the collector
    # would look at all of it again and again, in vain.
    collects = gc.isenabled()
    gc.disable()
    try:
        for stream, entry in in_time_order(streams, iso_second(int(time.time()) - FRESH_SECONDS)):
            stream.add(entry)
            intake.flush(_TOGETHER)
        for stream in streams:
            stream.close()
            intake.batch.drafts += edit_notice(intake, stream.file)
        intake.flush()
    finally:
        if collects:
            gc.enable()
        # After a fault the next pass reads the same again.
        intake.fds, intake.batch = [], IntakeBatch()


class FileIntake:
    """One growing file on its way into the log."""

    def __init__(self, intake: MountIntake, file: GrowingFile, quota: ReadQuota) -> None:
        """Take the file, and how much of it may be read."""
        self._intake = intake
        self.file = file
        self._quota = quota
        self._resolver = intake.resolver
        # Entries that become one event.
        self._run: list[FileEntry] = []
        # The quarantine entries of this pass over the file, by reason.
        self._entries: dict[str, OpenEntry] = {}
        # Lines of a replaced file are copied one by one, and so have an event each.
        self._is_replaced = file.file.startswith(REPLACED)
        growths = map(attrgetter("growth"), intake.mounted.dialect.watched)
        self._may_repeat_drops = Growth.DROP in growths

    def entries(self) -> Iterator[FileEntry]:
        """Yield the entries; the senders of a block are registered before any line of it is resolved."""
        file, report, taken = self.file, self._intake.report, 0
        while file.has_more:
            if self._quota.is_over(taken):
                file.is_cut = True
                return
            before = file.start
            block = file.read_block()
            count = file.start - before
            taken += count
            self._quota.read += count
            report.bytes += count
            if report.told:
                report.told(report.bytes)
            new = [entry for entry in block if entry.kind is EntryKind.NEW]
            asked = [entry for entry in block if entry.messages or entry.kind is EntryKind.JUNK]
            known_by = [hashed(entry.raw) for entry in asked]
            known_by += filter(None, (said_by(each) for entry in asked for each in entry.messages))
            self._intake.lines_read.look_up(known_by)
            self._intake.batch.drafts += self._resolver.begin_block([entry.messages for entry in new])
            self._count_broken_rules(block)
            yield from block

    def _count_broken_rules(self, block: list[FileEntry]) -> None:
        """Add an event for each rule that lines of history break: nobody is told of them one by one.

        A line counts once, for the first rule that it breaks.
        """
        seen = {entry.start for entry in block if entry.findings}
        broken: dict[str, list[Finding]] = {}
        for finding in self.file.broken_rules:
            if finding.place.offset not in seen:
                seen.add(finding.place.offset)
                broken.setdefault(finding.code, []).append(finding)
        for code, [first, *more] in broken.items():
            note = LineNote(
                code=code,
                said=first.message,
                fix=first.fix,
                line=self.file.line_of(first.place.offset),
                lines=1 + len(more),
            )
            self._intake.batch.drafts += self._resolver.findings.note(self.file.place, note)

    def add(self, entry: FileEntry) -> None:
        """Add an entry to the events."""
        if entry.kind is EntryKind.NEW:
            self._add_new(entry)
        elif entry.kind is EntryKind.BLANK:
            self._add_kept(entry, {"blank": True})
        elif entry.kind is EntryKind.JUNK:
            self._add_junk(entry)
        else:
            self._add_to_run(entry)

    def _add_new(self, entry: FileEntry) -> None:
        intake, resolver = self._intake, self._resolver
        if self._is_unmarked(entry):
            values = (each.replace(id="") if type(each) is Message else each for each in entry.values)
            entry = entry._replace(values=tuple(values))
        elif resolver.is_repeated(entry.messages):
            intake.batch.drafts += resolver.new_read_marks(entry.values)
            if effective(entry.values) and self._is_copy(entry):
                self._add(entry, [resolver.copied(self.file.place, entry.values, entry.start, entry.raw)], [])
            else:
                self._add_to_run(entry._replace(kind=EntryKind.KEPT, seq=0, is_repeated=True))
            return
        place, raw = self.file.place, entry.raw
        if self._may_repeat_drops and entry.messages and (same := self._dropped(entry.messages[0], raw)):
            self._intake.lines_read.add(place, hashed(raw))
            self._add_kept(entry, {"same_as": same, "shas": [hashed(raw)]})
            return
        try:
            drafts, messages = resolver.resolve(place, entry.values, entry.start, raw)
        except Refusal as refused:
            why = (refused.code, ": ".join(filter(None, (refused.what, refused.why))))
            self._add_junk(entry._replace(kind=EntryKind.JUNK, reason=why))
            return
        self._add(entry, drafts, messages)

    def _add(self, entry: FileEntry, drafts: list[Draft], messages: list[Message]) -> None:
        """Add the events of an entry that is one of its own."""
        if self._run:
            self.close()
        self._attach(entry, drafts, messages)
        self._intake.batch.add(drafts, messages)

    def _attach(self, entry: FileEntry, drafts: list[Draft], messages: list[Message]) -> None:
        """Add the findings about an entry to its events, and to each the number of its line."""
        if entry.findings and (messages or not entry.messages):
            # The last event moves the place to read on from: until it is in the log, the line is read again.
            self._resolver.findings.attach(drafts[-1], self._notes(entry, messages), entry.raw)
        for event in drafts:
            for finding in findings_of(event) if "found" in event.data else ():
                finding["line"] = self.file.line_of(entry.start)

    def _add_junk(self, entry: FileEntry) -> None:
        """Add bytes that nobody can read; those that the bus itself has written were pasted."""
        if self._is_copy(entry):
            self._add_kept(entry, {"shas": [hashed(entry.raw)], "copy": True})
        else:
            self._add_to_run(entry)

    def _is_copy(self, entry: FileEntry) -> bool:
        """Return True if the same line was read before."""
        return self._intake.lines_read.is_copy(self.file.place, hashed(entry.raw), entry.start)

    def _is_unmarked(self, entry: FileEntry) -> bool:
        """Return True if a line of mail has neither an id nor a time, and the log has one that says the same.

        It is another message: nothing tells that it was written at the same time.
        """
        mail = self._intake.mounted.dialect.mail_file
        if mail is None or original_file(self.file.file) != mail.file:
            return False
        if any(message.at for message in entry.messages) or not self._resolver.is_repeated(entry.messages):
            return False
        written = mail.read(entry.raw)
        return written is not None and not written.id

    def _notes(self, entry: FileEntry, messages: list[Message]) -> Iterator[LineNote]:
        """Yield the findings about an entry; its author is told of them, unless it is history."""
        intake, place = self._intake, self.file.place
        mounted = intake.mounted
        if messages:
            author, message_id = messages[0].sender, messages[0].id
        else:
            (author, registered), message_id = self._resolver.find_author(place, entry.raw), ""
            intake.batch.drafts += registered
        rules = {rule.code: rule for rule in mounted.dialect.rules}
        asked = intake.known.message(messages[0].reply_to) if messages and messages[0].reply_to else None
        is_answer = asked is not None and asked.act == "ask"
        for finding in entry.findings:
            rule = rules.get(finding.code)
            if rule and rule.spares_answers and is_answer:
                continue
            yield LineNote(
                code=finding.code,
                said=finding.message,
                fix=finding.fix,
                rule=rule.name if rule else "",
                author=author,
                others=_other_sides(mounted, place.file, finding, messages),
                message_id=message_id,
            )

    def _dropped(self, message: Message, raw: bytes) -> int:
        """Return the dropped message that a line repeats, 0 if it repeats none."""
        mounted = self._intake.mounted
        content = mounted.dialect.drops.repeated_text(message, raw, mounted.mount, self.file.file)
        return self._intake.known.dropped(mounted.name, content) if content else 0

    def _add_kept(self, entry: FileEntry, data: dict[str, object]) -> None:
        """Add the event of bytes that are no news."""
        self.close()
        src = self.file.place.src(entry.start, entry.end - entry.start, hashed(entry.raw))
        self._intake.batch.drafts.append(draft("file.kept", data, src))

    # --- runs ---

    def _add_to_run(self, entry: FileEntry) -> None:
        if self._run and not self._continues(entry):
            self.close()
        self._run.append(entry)

    def _continues(self, entry: FileEntry) -> bool:
        """Return True if an entry becomes one event with those that wait."""
        first, last = self._run[0], self._run[-1]
        if entry.kind is not first.kind or entry.block is not first.block or self._is_replaced:
            return False
        if entry.kind is EntryKind.OURS and entry.block.slice(last.end, entry.start).strip():
            return False
        if entry.kind is EntryKind.JUNK and not self._is_alike(entry.reason[0], last.reason[0]):
            return False
        count, size = _LIMITS[entry.kind]
        return len(self._run) < count and entry.end - first.start <= size

    def _is_alike(self, reason: str, before: str) -> bool:
        """Return True if unreadable lines with these reasons become one event.

        The author is told why each of them cannot be read. Once there is an entry for each of the reasons,
        lines that go on to alternate between them are kept together.
        """
        if TORN_RENDERING in (reason, before):
            return False
        return reason == before or {reason, before} <= self._entries.keys()

    def _open_entry(self, run: list[FileEntry]) -> tuple[tuple[str, str], OpenEntry | None]:
        """Return why the lines of a run cannot be read, and the quarantine entry that they join."""
        reason = run[0].reason
        if self._is_replaced or reason[0] == TORN_RENDERING:
            return reason, None
        told = set[str]()
        if codes := dict.fromkeys(entry.reason[0] for entry in run if entry.reason[0] != reason[0]):
            reason = (MIXED, f"they cannot be read for several reasons: {', '.join((reason[0], *codes))}")
            told.update(*(each.authors for each in self._entries.values()))
        entry = self._entries.setdefault(reason[0], OpenEntry())
        entry.authors |= told
        return reason, entry

    def close(self) -> None:
        """Make one event of the entries that wait."""
        run, self._run = self._run, []
        if not run:
            return
        intake, place = self._intake, self.file.place
        first, start, end = run[0], run[0].start, run[-1].end
        raw = first.block.slice(start, end)
        shas = [hashed(entry.raw) for entry in run]
        if first.kind is EntryKind.JUNK:
            several = shas if len(run) > 1 else None
            reason, into = self._open_entry(run)
            span = (start, end - start)
            intake.batch.drafts += intake.quarantine(place, span, raw, reason, several, into=into)
            return
        # The hash of all that is there, blanks in between too: that is what is read again and compared.
        src = place.src(start, end - start, hashed(raw))
        if first.kind is EntryKind.OURS:
            found = intake.debt.confirm(self.file.file, [entry.seq for entry in run])
            intake.report.confirmed += len(run)
            intake.batch.drafts.append(draft("file.echoed", {**found, "shas": shas}, src))
            return
        data: dict[str, object] = {"shas": shas}
        if any(entry.is_repeated for entry in run):
            data["repeated"] = True
        if late := [entry.seq for entry in run if entry.seq]:
            data["carried"] = late
            intake.report.confirmed += len(late)
        intake.batch.drafts.append(draft("file.kept", data, src))


def in_time_order(streams: Sequence[FileIntake], fresh: str) -> Iterator[tuple[FileIntake, FileEntry]]:
    """Yield the entries of all files, earliest first; entries from the time `fresh` on wait for no cut.

    Only the first entry of each file is held, so a file is read block by block, as the merge reaches it.
    Entries of equal times come in the order of the files.
    """
    waiting = [stream.entries() for stream in streams]
    heads: list[tuple[str, int, FileEntry]] = []
    for place, entries in enumerate(waiting):
        for entry in entries:
            heads.append((entry.time, place, entry))
            break
    heapify(heads)
    is_any_cut = any(stream.file.is_cut for stream in streams)
    while heads:
        at, place, entry = heads[0]
        stream = streams[place]
        if is_any_cut and at < fresh:
            stream.file.is_cut = True
            heappop(heads)
            continue
        yield stream, entry
        if (following := next(waiting[place], None)) is None:
            heappop(heads)
            is_any_cut = is_any_cut or stream.file.is_cut
        else:
            heapreplace(heads, (following.time, place, following))


def _other_sides(
    mounted: MountPoint, file: str, finding: Finding, messages: list[Message]
) -> tuple[str, ...]:
    """Return the agents besides its author that must know of a line."""
    if finding.code not in mounted.dialect.shared_codes or not messages:
        return ()
    owners = mounted.dialect.residents(mounted.mount, [file])
    sides = (*(each for each in messages[0].to if not each.startswith("@")), *owners)
    return tuple(each for each in dict.fromkeys(sides) if each != messages[0].sender)
