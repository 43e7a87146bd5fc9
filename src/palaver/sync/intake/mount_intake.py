"""The intake of one mount in one pass: what is known when it begins, and the appending of its events.

Nothing is removed or moved before it is in the log. Bytes are durable before the log refers to them.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

from palaver.bus.session import Session
from palaver.model import secrets
from palaver.model.event import REPLACED, ROTATED, Draft, original_file, text
from palaver.model.limits import LOOK_BACK_BYTES, TURN_BYTES
from palaver.model.mounted_files import Finding, Growth, Kind, Parsed, Source
from palaver.sync.foreign_file import Unfit, read_span
from palaver.sync.intake.file_events import FilePlace, IntakeBatch, draft, hashed, shown_text
from palaver.sync.intake.known_messages import Known, ReadLines
from palaver.sync.intake.quarantine_store import OpenEntry, QuarantineStore
from palaver.sync.intake.resolver import Resolver
from palaver.sync.mounts.mount_point import MountListing, MountPoint
from palaver.sync.render.debts import Debt
from palaver.sync.replaced_files import ReplacedFile
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import file_history, known_files
from palaver.views.files.findings import findings_of
from palaver.views.query import Query

# The name under which the mount itself is recorded as a file.
_MOUNT = ""
#: The code of bytes that are a part of our own write.
TORN_RENDERING = "torn-rendering"
#: A file as it was when it was last read to its end: inode, size, time of the last write.
Stamp = tuple[int, int, int]


def stamp_of(found: os.stat_result) -> Stamp:
    """Return a file as it is, by its status."""
    return found.st_ino, found.st_size, found.st_mtime_ns


# No private key is longer, in armour.
_ARMOUR_BYTES = 1 << 14
# What a line of a key in armour has.
_ARMOUR = re.compile(rb"[A-Za-z0-9+/=]{16}")
#: Two writes that are further apart than this have different times.
TICK_NS = 50_000_000


@dataclass(slots=True)
class ReadQuota:
    """How much one pass may read.

    A pass reads a bounded part of each file, and the next pass continues from there, so that a huge backlog
    in one file does not delay the others. A process that is asked to end reads only a little more.
    """

    is_ending: Callable[[], bool]
    #: How many bytes may be read of one file.
    limit: int = TURN_BYTES
    #: How many bytes were read of all files.
    read: int = 0

    def is_over(self, taken: int = 0) -> bool:
        """Return True if the rest of a file is for the next pass, after reading so many bytes of it."""
        return taken >= self.limit or (self.read >= TURN_BYTES and self.is_ending())


class ChangedFile(NamedTuple):
    """A file that is not as it was when it was last read."""

    #: Its name as the log has it: any bytes, as text.
    name: str
    path: str
    growth: Growth
    #: None if it could not be looked at.
    stamp: Stamp | None
    #: Whether it was written to since it was last read, and did not grow.
    is_suspect: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PassState:
    """What the mounts of one pass have in common."""

    session: Session
    #: The roster as of the start of the intake, and the agents that it registers.
    roster: Roster
    report: Report
    quota: ReadQuota
    #: Whether all recorded bytes are compared with the log.
    is_thorough: bool = False
    #: Renderings that were found; appended to the log when all mounts were read.
    echoes: list[Draft] = field(default_factory=list)


class MountIntake:
    """One pass over the files of one mount."""

    def __init__(
        self,
        state: PassState,
        mounted: MountPoint,
        debt: Debt,
        listing: MountListing,
        lines: dict[str, tuple[int, int, int]],
    ) -> None:
        """Take the mount, what its files are owed, and what is there.

        `lines` has what earlier passes have counted: by file its generation, a byte, and its line number.
        """
        self.session = state.session
        #: The view as of the start of the intake.
        self.db: Query = state.session.view
        self.roster = state.roster
        self.report = state.report
        self.quota = state.quota
        self.is_thorough = state.is_thorough
        self._echoes = state.echoes
        self.mounted = mounted
        self.debt = debt
        self.lines = lines
        self.listing = listing
        #: The files that must be read, and those that were replaced.
        self.changed: list[ChangedFile] = []
        self.replaced: list[ReplacedFile] = []
        #: Files that are not read, and may have a wrong name.
        self.others: list[ChangedFile] = []
        #: The files that the log knows, by name.
        self.sources = known_files.sources(self.db, mounted.name)
        #: Whether the mount is new: then the content of its files is history.
        self.history = _MOUNT not in self.sources
        #: Whether the last entry of a file may still be written to: then the history is not complete.
        self.has_open_history = False
        #: What the log has of the messages in the files, and what resolves names, ids and threads.
        self.known = Known(self.session)
        self.lines_read = ReadLines(self.session, mounted.name, self._owed)
        self.resolver = Resolver(mounted, self.roster, self.known, self.lines_read)
        #: Events that are not in the log yet, and the open files that they came from.
        self.batch = IntakeBatch()
        self.fds: list[int] = []
        # The files that were synced, as they were then.
        self._synced: dict[int, tuple[int, ...]] = {}
        self._quarantine: QuarantineStore | None = None

    def _owed(self) -> set[str]:
        """Return the hashes of the renderings that are owed to the files of the mount."""
        return {hashed(each.content) for owed in self.debt.files.values() for each in owed}

    def begins_entry(self, file: str, offset: int, content: bytes) -> bool:
        """Return True if an entry begins with these bytes of a file, after blank lines."""
        source = Source(path=file, content=content, mount=self.mounted.mount, offset=offset)
        kinds = (piece.kind for piece in self.mounted.dialect.parse(source).pieces)
        return next((kind for kind in kinds if kind is not Kind.BLANK), None) is Kind.EVENT

    def rule_findings(
        self, source: Source, parsed: Parsed, number: int, content: Callable[[int, int], bytes]
    ) -> Iterator[Finding]:
        """Yield what the rules find in new lines of a file, whose number in the view and bytes are given."""
        known = frozenset(parsed.findings)
        rules = [rule for rule in self.mounted.dialect.rules if rule.looks_back or not rule.needs_context]
        if self.history:
            # Whether a line is an answer is not known yet.
            rules = [rule for rule in rules if not rule.spares_answers]
        above = source, parsed
        if any(rule.looks_back for rule in rules):
            above = self._with_lines_above(source, parsed, number, content)
        for rule in rules:
            found = rule.check(*(above if rule.looks_back else (source, parsed)), {})
            yield from (each for each in found if each not in known)

    def _with_lines_above(
        self, source: Source, parsed: Parsed, number: int, content: Callable[[int, int], bytes]
    ) -> tuple[Source, Parsed]:
        """Return lines of a file together with the entries above them, as far as a rule looks back."""
        first = parsed.pieces[0].start if parsed.pieces else source.offset
        bound = max(first - LOOK_BACK_BYTES, 0)
        # An entry begins where the log says so, and where a block of the file begins.
        start = known_files.first_entry(self.db, number, bound, source.offset)
        if not bound <= start < first:
            return source, parsed
        above = replace(source, content=content(start, first - start), offset=start)
        pieces = self.mounted.dialect.parse(above).pieces
        ending = source.offset + len(source.content)
        whole = replace(above, content=content(start, ending - start))
        return whole, Parsed((*pieces, *parsed.pieces), ())

    def former(
        self, file: str, mark: str, content: Callable[[int, int], bytes]
    ) -> list[known_files.KnownFile]:
        """Return what the log has of a file under other names, or in earlier mounts of its folder.

        A file that was deleted may have left its inode to another one. So a file that is known by its inode
        alone must still have the last bytes that were read. A replaced file is kept for what it gains alone.
        """
        found: dict[int, known_files.KnownFile] = {}
        if file.startswith(REPLACED):
            return []
        for each in file_history.former(self.db, self.mounted.name, self.mounted.path, file, mark):
            has_last_bytes = each.length and hashed(content(each.offset, each.length)) == each.sha
            if each.file.startswith(REPLACED) or (each.file != file and not has_last_bytes):
                continue
            found[each.number] = each
            original = self.sources.get(original_file(each.file)) if each.file.startswith(ROTATED) else None
            if original is not None and original.file != file:
                # What was read before the rotation is among what that file held.
                found[original.number] = original
        return [*found.values()]

    def find_renamed(self, file: str, mark: str) -> str:
        """Return the path of a file that had the place of `file`, and was renamed in its folder; or nothing.

        If its new name is one that the dialect reads, it is a file like any other.
        """
        device, _, inode = mark.partition(":")
        read = {self.mounted.full(name) for name, _ in self.listing.files}
        # The folder, or the file, may be gone.
        with suppress(OSError), os.scandir(os.path.dirname(self.mounted.full(file))) as entries:
            for entry in entries:
                if str(entry.inode()) == inode and entry.path not in read:
                    return entry.path if str(entry.stat(follow_symlinks=False).st_dev) == device else ""
        return ""

    def renamed(self) -> dict[str, str]:
        """Return the paths of the files that were renamed in their folders, by what the log calls them.

        A file that the log knows by several names goes by the one under which most of it was read.
        """
        found: dict[str, str] = {}
        marks: set[str] = set()
        for name, source in sorted(self.sources.items(), key=lambda item: -item[1].ending):
            if source.gen and source.mark not in marks and (path := self._renamed_path(name, source)):
                found[name] = path
                marks.add(source.mark)
        return found

    def _renamed_path(self, name: str, source: known_files.KnownFile) -> str:
        if name.startswith(ROTATED):
            return self.find_renamed(original_file(name), source.mark)
        if name == _MOUNT or name.startswith(REPLACED) or self.mounted.growth(name) is not Growth.LOG:
            return ""
        with suppress(OSError):
            if str(os.lstat(self.mounted.full(name)).st_ino) == source.mark.rpartition(":")[2]:
                return ""
        return self.find_renamed(name, source.mark)

    def end_history(self) -> None:
        """Record that the history of a new mount is complete."""
        src: dict[str, object] = {"mount": self.mounted.name, "file": _MOUNT, "gen": 1, "off": 0, "len": 0}
        self.session.log.append([draft("file.opened", {"mark": self.mounted.path}, src)])
        self.report.events += 1

    def flush(self, least: int = 1) -> None:
        """Append the events that wait, if there are at least so many; the open files are synced first."""
        batch = self.batch
        if len(batch.drafts) < least:
            return
        self.batch = IntakeBatch()
        for fd in self.fds:
            self._sync(fd)
        types = list(map(attrgetter("event_type"), batch.drafts))
        if types.count("file.echoed") == len(types):
            self._echoes += batch.drafts
            return
        self._append(batch)
        self.report.events += len(types)
        self.report.findings += types.count("file.found")
        self.report.findings += sum(len(findings_of(each)) for each in batch.drafts if "found" in each.data)

    def _append(self, batch: IntakeBatch) -> None:
        log, report = self.session.log, self.report
        if self._quarantine is not None:
            self._quarantine.flush()
        if self._echoes:
            # What is further up in a file comes first.
            log.append(self._echoes)
            report.events += len(self._echoes)
            self._echoes.clear()
        since = self.session.view.seq if any(map(attrgetter("key"), batch.drafts)) else 0
        for each, event in zip(batch.drafts, log.append(batch.drafts, since=since), strict=True):
            if each.src and "words" in each.src:
                self.known.add_drop(text(each.src, "words"), event.seq)
        self.session.wakeups.ring(batch.recipients())
        if batch.messages:
            name = self.mounted.name
            report.messages[name] = report.messages.get(name, 0) + len(batch.messages)

    def _sync(self, fd: int) -> None:
        """Sync a file; once is enough for one that has not changed since."""
        found = os.fstat(fd)
        stamp = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if stamp == self._synced.get(fd):
            return
        # Another write could have the same time as one of just now.
        is_old = time.time_ns() - found.st_mtime_ns > TICK_NS
        os.fdatasync(fd)
        self._synced[fd] = stamp if is_old else ()

    def _above(self, place: FilePlace, start: int) -> bytes:
        """Return what precedes bytes in their file if they may be the rest of a key in armour."""
        try:
            above, _ = read_span(
                self.mounted.full(place.file), max(0, start - _ARMOUR_BYTES), min(start, _ARMOUR_BYTES)
            )
        except (OSError, Unfit):
            # It was replaced, or is gone.
            return b""
        return above if b"PRIVATE KEY" in above else b""

    def quarantine(
        self,
        place: FilePlace,
        span: tuple[int, int],
        content: bytes,
        reason: tuple[str, str],
        shas: list[str] | None = None,
        *,
        into: OpenEntry | None = None,
    ) -> list[Draft]:
        """Keep bytes that could not be parsed; return the event, and before it the author's registration.

        `span` is their offset and length, `reason` a code and a message. `shas` are the hashes of the lines,
        if there are several: when the file is rewritten, each of them is recognised by its own. They join the
        entry `into`, if there is one. Nobody is told of history, or of a write of our own.
        """
        start, length = span
        code, message = reason
        above = self._above(place, start) if _ARMOUR.search(content) else b""
        if above and shown_text(content, above) != shown_text(content):
            # A line of a key: no dialect knows that when it quotes the line.
            message = f"it is a part of what is masked above it, [{secrets.BLOCK} masked]"
        name = f"q-{hashed(f'{place.mount}:{place.file}:{place.gen}:{start}'.encode())}"
        lines, into = content.count(b"\n") + (content[-1:] not in (b"\n", b"")), into or OpenEntry()
        into.add(name, lines, length)
        entry: dict[str, object] = {"id": into.name, "reason": code}
        if message:
            entry["message"] = secrets.masked(message)
        entry["lines"] = lines
        if into.name != name:
            entry["place"] = into.places
        self._quarantine = self._quarantine or QuarantineStore(self.session.root)
        entry.update(self._quarantine.add(content))
        if shas:
            entry["shas"] = shas
        registered: list[Draft] = []
        if code != TORN_RENDERING and not place.history:
            author, registered = self.resolver.find_author(place, content)
            if author not in into.authors:
                into.authors.add(author)
                entry |= {"author": author, "text": shown_text(content, above)}
                lead = self.resolver.caretaker
                if code in self.mounted.dialect.shared_codes and lead != author:
                    entry["others"] = [lead]
        self.report.quarantined += len(shas) if shas else 1
        return [*registered, draft("file.quarantined", entry, place.src(start, length, hashed(content)))]
