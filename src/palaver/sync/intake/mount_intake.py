"""The intake of one mount in one pass: what is known when it begins, and the appending of its events.

Nothing is removed or moved before it is in the log. Bytes are durable before the log refers to them.
"""

import os
import time
from collections.abc import Iterable

from palaver.bus.session import Session
from palaver.model.event import Draft, text
from palaver.sync.drop_echoes import DropEchoes
from palaver.sync.intake.file_events import FilePlace, IntakeBatch, draft, hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.intake.quarantine_store import QuarantineStore
from palaver.sync.intake.resolver import Resolver
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import sources
from palaver.views.query import Query

# The name under which the mount itself is recorded as a file.
_MOUNT = ""
# Events that are appended at once.
_TOGETHER = 256
# Two writes that are further apart than this have different times.
_TICK_NS = 50_000_000


class Intake:
    """One pass over the files of one mount."""

    def __init__(  # noqa: PLR0917 - what a pass knows
        self,
        core: Session,
        db: Query,
        mounted: MountPoint,
        roster: Roster,
        report: Report,
        echoes: list[Draft],
        lines: dict[str, tuple[int, int, int]],
    ) -> None:
        """Take the bus, its view as of now, the mount, the roster, and the report.

        Renderings that were found are added to `echoes`, which the caller appends to the log in the end.
        `lines` is what earlier passes have counted: by file its generation, a byte, and its line number.
        """
        self.core = core
        self.db = db
        self.mounted = mounted
        self.roster = roster
        self.report = report
        self.known = Known(core, db)
        self.resolver = Resolver(mounted, roster, self.known)
        self.dropped = DropEchoes(db, mounted)
        self.lines = lines
        #: The files that exist, in the order in which they are read, and how each changes.
        self.files = [*mounted.files()]
        self.sources = sources.sources(db, mounted.name)
        # Whether the mount is new: then what is in its files is history.
        self.history = _MOUNT not in self.sources
        self._soon = IntakeBatch()
        self._quarantine = QuarantineStore(core.root)
        self._echoes = echoes
        # The files that were synced, as they were then.
        self._safe: dict[int, tuple[int, ...]] = {}

    def settled(self, *, is_all: bool) -> None:
        """End the pass over the mount; with `is_all` record that the history of a new one is complete."""
        self.flush()
        if self.history and is_all:
            src: dict[str, object] = {
                "mount": self.mounted.name,
                "file": _MOUNT,
                "gen": 1,
                "off": 0,
                "len": 0,
            }
            self.core.log.append([draft("file.opened", {"mark": self.mounted.path}, src)])
            self.report.events += 1

    def append_soon(self, fd: int, batch: IntakeBatch) -> None:
        """Append a small batch, together with others."""
        if batch.drafts:
            os.fdatasync(fd)
            self.put_soon(batch)

    def put_soon(self, batch: IntakeBatch) -> None:
        """Do the same with bytes that are durable."""
        self._soon.join(batch)
        if len(self._soon) >= _TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Append the batches that wait."""
        batch, self._soon = self._soon, IntakeBatch()
        self._put(batch)

    def append(self, fds: Iterable[int], batch: IntakeBatch) -> None:
        """Append a batch; the files that it came from are synced first."""
        if not len(batch):
            return
        self.flush()
        for fd in fds:
            self._make_safe(fd)
        if all(each.event_type == "file.echoed" for each in batch.drafts):
            self._echoes += batch.drafts
        else:
            self._put(batch)

    def _make_safe(self, fd: int) -> None:
        """Sync a file; once is enough for one that has not changed since."""
        found = os.fstat(fd)
        stamp = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
        if stamp == self._safe.get(fd):
            return
        # Another write could have the same time as one of just now.
        is_old = time.time_ns() - found.st_mtime_ns > _TICK_NS
        os.fdatasync(fd)
        self._safe[fd] = stamp if is_old else ()

    def quarantine(
        self,
        place: FilePlace,
        span: tuple[int, int],
        content: bytes,
        reason: tuple[str, str],
        shas: list[str],
    ) -> Draft:
        """Keep bytes that could not be parsed; return the event.

        `span` is their offset and length, `reason` a code and a message. `shas` are the hashes of the lines,
        if there are several: when the file is rewritten, each of them is recognised by its own.
        """
        start, length = span
        code, message = reason
        name = f"q-{hashed(f'{place.mount}:{place.file}:{place.gen}:{start}'.encode())}"
        entry: dict[str, object] = {"id": name, "reason": code}
        if message:
            entry["message"] = message
        entry["lines"] = content.count(b"\n") + (content[-1:] not in (b"\n", b""))
        entry.update(self._quarantine.add(content))
        if len(shas) > 1:
            entry["shas"] = shas
        self.report.quarantined += max(1, len(shas))
        return draft("file.quarantined", entry, place.src(start, length, hashed(content)))

    def _put(self, batch: IntakeBatch) -> None:
        if not len(batch):
            return
        log = self.core.log
        self._quarantine.flush()
        if self._echoes:
            # What is further up in a file comes first.
            log.append(self._echoes)
            self.report.events += len(self._echoes)
            self._echoes.clear()
        since = 0
        if any(each.key for each in batch.drafts):
            [(since,)] = self.db.execute("select seq from place")
        for each, event in zip(batch.drafts, log.append(batch.drafts, since=int(since)), strict=True):
            if each.src and "words" in each.src:
                self.dropped.add(text(each.src, "words"), event.seq)
        self.core.wakeups.ring(batch.recipients())
        self.report.taken(self.mounted.name, batch)
