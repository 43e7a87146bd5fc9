"""Files that grow, those of a mount together: their entries become events, in the order of their times.

Consecutive entries of one kind become one event.
"""

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from palaver.log.clock import iso_second, new_id
from palaver.model.dialect import Finding
from palaver.model.errors import Refusal
from palaver.model.event import Draft, texts
from palaver.model.limits import ENTRY_BYTES, ENTRY_LINES, FRESH_SECONDS, RUN_BYTES, RUN_PIECES
from palaver.model.message import Message
from palaver.model.names import BUS, EVERYONE
from palaver.sync import replaced_files
from palaver.sync.intake.file_entries import EntryKind, FileEntry
from palaver.sync.intake.file_events import IntakeBatch, draft, hashed
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.merge import in_time_order
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render.debts import Debt

#: How many entries, and how many bytes, become one event.
_LIMITS = {
    EntryKind.OURS: (RUN_PIECES, RUN_BYTES),
    EntryKind.KEPT: (RUN_PIECES, RUN_BYTES),
    EntryKind.JUNK: (ENTRY_LINES, ENTRY_BYTES),
}

# Events that are put into the log at once.
_TOGETHER = 2_048


def take_in_logs(intake: Intake, files: Sequence[GrowingFile], owed: Debt) -> None:
    """Record what is new in these files; a file of which a part is left is cut."""
    # A line may repeat a file of an inbox, so that comes first.
    intake.flush()
    batch = IntakeBatch([file.opening for file in files if file.opening])
    streams = [FileIntake(intake, file, owed, batch) for file in files]
    fds = [file.fd for file in files]
    fresh = iso_second(int(time.time()) - FRESH_SECONDS)
    with _no_collector():
        for stream, entry in in_time_order(streams, fresh):
            stream.add(entry)
            if len(batch) >= _TOGETHER:
                intake.append(fds, batch.drain())
        for stream in streams:
            stream.close()
        intake.append(fds, batch.drain())


@contextmanager
def _no_collector() -> Iterator[None]:
    """Turn the garbage collector off.

    Next to nothing that is made of entries outlives them, and nothing is part of a cycle: the collector would
    look at all of it again and again, in vain.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class FileIntake:
    """One growing file on its way into the log."""

    def __init__(self, intake: Intake, file: GrowingFile, owed: Debt, batch: IntakeBatch) -> None:
        """Take the file, what is owed to it, and where its events go."""
        self._intake = intake
        self.file = file
        self._owed = owed
        self._resolver = intake.resolver
        self._batch = batch
        # Entries that become one event.
        self._run: list[FileEntry] = []
        # Lines of a replaced file are copied one by one, and so have an event each.
        self._is_replaced = file.file.startswith(replaced_files.PREFIX)

    @property
    def is_cut(self) -> bool:
        """Return True if a part of the file is left to the next pass."""
        return self.file.is_cut

    def cut(self) -> None:
        """Leave the rest of the file to the next pass."""
        self.file.cut()

    def entries(self) -> Iterator[FileEntry]:
        """Yield the entries; the senders of a block are registered before any line of it is resolved."""
        resolver = self._resolver
        for block in self.file.blocks():
            new = [entry.messages for entry in block if entry.kind is EntryKind.NEW]
            resolver.begin_block()
            resolver.known.look_up(message for messages in new for message in messages)
            # Only who says something new here lives here: what the log has already may be ours.
            speaking = [each for messages in new if not resolver.is_repeated(messages) for each in messages]
            self._batch.drafts += resolver.welcome(speaking)
            yield from block

    def add(self, entry: FileEntry) -> None:
        """Add an entry to the events."""
        if entry.kind is EntryKind.NEW:
            self._add_new(entry)
        elif entry.kind is EntryKind.BLANK:
            self.close()
            src = self.file.place.src(entry.start, entry.end - entry.start, entry.sha)
            self._batch.drafts.append(draft("file.kept", {"blank": True}, src))
        else:
            self._add_to_run(entry)

    def _add_new(self, entry: FileEntry) -> None:
        resolver = self._resolver
        if resolver.is_repeated(entry.messages):
            self._batch.drafts += resolver.new_read_marks(entry.values)
            self._add_to_run(entry._replace(kind=EntryKind.KEPT, seq=0))
            return
        place, raw = self.file.place, entry.raw
        if same := self._intake.dropped.repeated(place.file, entry.values[0], raw):
            self.close()
            src = place.src(entry.start, entry.end - entry.start, entry.sha)
            self._batch.drafts.append(draft("file.kept", {"same_as": same, "shas": [entry.sha]}, src))
            return
        try:
            resolved = resolver.resolve(place, entry.values, entry.start, raw)
        except Refusal as refused:
            why = (refused.code, "the bus cannot take it")
            self._add_to_run(entry._replace(kind=EntryKind.JUNK, reason=why))
            return
        self.close()
        self._batch.add(resolved)
        senders = [message.sender for message in entry.messages]
        for finding in entry.findings:
            line = self.file.line_of(entry.start)
            noted = resolver.note(place, finding.code, finding.message, raw, finding.fix, line)
            self._batch.drafts += noted
            if noted and not place.history:
                caused = resolved.drafts[0]
                self._batch.drafts += _notices(self._intake.mounted, place.file, finding, caused, senders)

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
        if entry.kind is EntryKind.OURS and entry.start != last.end:
            return False
        if entry.kind is EntryKind.JUNK and "torn-rendering" in (entry.reason[0], first.reason[0]):
            return False
        count, size = _LIMITS[entry.kind]
        return len(self._run) < count and entry.end - first.start <= size

    def close(self) -> None:
        """Make one event of the entries that wait."""
        run, self._run = self._run, []
        if not run:
            return
        first, start, end = run[0], run[0].start, run[-1].end
        raw = first.block.slice(start, end)
        if first.kind is EntryKind.JUNK:
            shas = [entry.sha for entry in run] if len(run) > 1 else []
            kept = self._intake.quarantine(self.file.place, (start, end - start), raw, first.reason, shas)
            self._batch.drafts.append(kept)
            return
        # What is read again to see whether it is the same is what stands there, blanks in between too.
        src = self.file.place.src(start, end - start, hashed(raw))
        if first.kind is EntryKind.OURS:
            data = self._owed.confirm(self.file.file, [entry.seq for entry in run])
            data["shas"] = [entry.sha for entry in run]
            self._intake.report.confirmed += len(run)
            self._batch.drafts.append(draft("file.echoed", data, src))
            return
        entries: dict[str, object] = {"shas": [entry.sha for entry in run]}
        if late := [entry.seq for entry in run if entry.seq]:
            entries["carried"] = late
            self._intake.report.confirmed += len(late)
        self._batch.drafts.append(draft("file.kept", entries, src))


def _notices(
    mounted: MountPoint, file: str, finding: Finding, caused: Draft, senders: list[str]
) -> list[Draft]:
    """Return the notices about a line in the wrong file: to its author, its recipients, and the owner."""
    if finding.code not in mounted.dialect.misfiled_codes or caused.event_type != "mail.sent":
        return []
    owners = mounted.dialect.residents(mounted.mount, [file])
    sides = [*senders, *(each for each in texts(caused.data, "to") if not each.startswith("@")), *owners]
    told: list[Draft] = []
    for place, side in enumerate(dict.fromkeys(sides)):
        if side in (BUS, EVERYONE):
            continue
        notice = Message(
            sender=BUS,
            to=[side],
            body=f"{finding.code} in {file}: {finding.message}; {finding.fix}",
            id=new_id("msg"),
        )
        told.append(
            draft(
                "mail.sent",
                notice.fields(),
                caused_by=caused.event_id,
                key=f"{caused.event_id}:{finding.code}:{place}",
            )
        )
    return told
