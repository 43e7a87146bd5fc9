"""Debts: what the log owes to the files of a mount.

These are the messages whose recipients lived there when they were sent, except those that were found in the
files. The bytes of a rendering depend on the event and the mount alone, so every pass recognises them.

Late lines are owed, too: lines that a program added to a file after it was replaced. They are in the log, so
nothing can be lost. They are appended to the new file as they were written. A line that occurs there more
often than before is the copy.
"""

from dataclasses import dataclass, field

from palaver.bus.session import Session
from palaver.model.errors import Refusal
from palaver.model.event import Event, original_file, text
from palaver.model.limits import LINE_BYTES, OWED
from palaver.model.message import Message, from_event, origin_of
from palaver.model.names import BUS
from palaver.sync import replaced_files
from palaver.sync.foreign_file import Unfit, read_span
from palaver.sync.intake.echoes import Rendering
from palaver.sync.intake.file_events import hashed
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render.event_feed import EventFeed
from palaver.views.files import outstanding

# A longer line could be read in several pieces, and would not be recognised.
_LATE_BYTES = 2 * LINE_BYTES


@dataclass(slots=True, kw_only=True)
class Debt:
    """What the files of one mount are owed, and what of it was found there."""

    #: The events that are owed, if the mount has a file for all events.
    feed: EventFeed | None = None
    #: By file, oldest first.
    files: dict[str, list[Rendering]] = field(default_factory=dict)
    #: By message: the files that it is missing in.
    targets: dict[int, set[str]] = field(default_factory=dict)
    #: Files that were written beside their place and not moved yet: (message, file).
    prepared: set[tuple[int, str]] = field(default_factory=set)
    #: Messages that were withdrawn: recognised if they are found, but not written.
    silent: set[int] = field(default_factory=set)
    #: Messages that cannot be rendered here, with the reason, or need not be.
    impossible: list[tuple[int, str]] = field(default_factory=list)
    #: Late lines by file, oldest first.
    late: dict[str, list[Rendering]] = field(default_factory=dict)
    #: The same by file and hash: the events that recorded them.
    late_hashes: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    #: Late lines that cannot be copied.
    lost: list[int] = field(default_factory=list)
    #: Renderings that were found, by file: their events.
    found: dict[str, set[int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return True if anything is owed, or must be given up."""
        return bool(self.files or self.impossible or self.late or self.lost)

    @property
    def event_file(self) -> str:
        """Return the file for all events; empty if the mount has none."""
        return self.feed.file if self.feed is not None else ""

    def take_late(self, file: str, sha: str) -> int:
        """Return the event of a late line that was found in its file, or 0; each is found once."""
        seqs = self.late_hashes.get((file, sha))
        if not seqs:
            return 0
        seq = seqs[0]
        for known in self.late_hashes.values():
            if seq in known:
                known.remove(seq)
        self.late[file] = [each for each in self.late[file] if each.seq != seq]
        return seq

    def confirm(self, file: str, seqs: list[int]) -> dict[str, object]:
        """Note what was found in a file; return what the log is told of it."""
        found = self.found.setdefault(file, set())
        found.update(seqs)
        if self.feed is not None and file == self.feed.file:
            return {"messages": seqs, "through": self.feed.through(found)}
        done = []
        for seq in seqs:
            missing = self.targets.get(seq, set())
            missing.discard(file)
            if not missing:
                done.append(seq)
        return {"messages": seqs, "done": done}

    def narrow(self) -> bool:
        """Leave out what was found in the files; return True if the rest is all that is owed.

        If not, the view must be queried again: there may be more than was looked up, or more than lines.
        """
        if self.silent or self.impossible or self.prepared:
            return False
        if max(map(len, self.files.values()), default=0) >= OWED:
            return False
        for file, found in self.found.items():
            left = [each for each in self.files.pop(file, ()) if each.seq not in found]
            self.files |= {file: left} if left else {}
        return True


def find_debt(session: Session, mounted: MountPoint, feed: EventFeed | None) -> Debt:
    """Return what a mount is owed, at most as much as one pass writes."""
    found, db = Debt(feed=feed), session.view
    if feed is not None and (events := feed.owed(db, db.seq)):
        found.files[feed.file] = events
    echoed = outstanding.echoed(db, mounted.name)
    owed = outstanding.outstanding(db, mounted.name, OWED)
    events_owed = session.log.events_at([place for _, place, _ in owed])
    for (seq, _, silent), event in zip(owed, events_owed, strict=True):
        if silent:
            found.silent.add(seq)
        if event is None or event.seq != seq:
            found.impossible.append((seq, "its line in the log is damaged"))
            continue
        try:
            _add(found, event, local_message(session, mounted, event), mounted, echoed)
        except Refusal as refused:
            found.impossible.append((seq, refused.why or refused.what))
    if late := outstanding.late_lines(db, mounted.name, OWED):
        _add_late_lines(session, mounted, found, late)
    return found


def local_message(session: Session, mounted: MountPoint, event: Event) -> Message:
    """Return the message of an event, with the names that are used in a mount."""
    names = MountNames(mounted, session.view.roster())
    meant = outstanding.meant(session.view, event.seq)
    return names.local(from_event(event), meant, origin_of(event))


def _add(
    found: Debt, event: Event, message: Message, mounted: MountPoint, echoed: dict[tuple[int, str], str]
) -> None:
    src = event.src or {}
    if message.redacted:
        found.impossible.append((event.seq, ""))
        return
    dialect, mount = mounted.dialect, mounted.mount
    if text(src, "mount") == mounted.name and dialect.onward:
        files = dialect.onward(message, mount, text(src, "file"))
    else:
        files = dialect.files(message, mount)
    missing: set[str] = set()
    for file in sorted(set(files)):
        stage = echoed.get((event.seq, file))
        if stage == "echoed":
            continue
        missing.add(file)
        if stage == "prepared":
            found.prepared.add((event.seq, file))
        rendered = dialect.render(message, mount, file)
        if message.sender == BUS:
            rendered = dialect.for_reader(rendered)
        found.files.setdefault(file, []).append(Rendering(event.seq, rendered))
    if not missing:
        found.impossible.append((event.seq, ""))
    found.targets[event.seq] = missing


def _add_late_lines(
    session: Session, mounted: MountPoint, found: Debt, late: list[tuple[int, str, int, int]]
) -> None:
    """Add the late lines of a mount, as many as are written at a time."""
    paths = {old.source: old.path for old in replaced_files.entries(session.root, mounted.name, mounted.path)}
    for seq, source, offset, length in late:
        raw = _late_entry(paths.get(source, ""), offset, length)
        if not raw or (b"\n" in raw and mounted.dialect.is_closed is None):
            # It is gone, or is no single line where entries are lines.
            found.lost.append(seq)
            continue
        file = original_file(source)
        found.late.setdefault(file, []).append(Rendering(seq, raw + b"\n"))
        found.late_hashes.setdefault((file, hashed(raw)), []).append(seq)


def _late_entry(path: str, offset: int, length: int) -> bytes:
    """Return a line or block of a replaced file without its end; nothing if it is gone."""
    if not path or length > _LATE_BYTES:
        return b""
    try:
        return read_span(path, offset, length)[0].strip(b"\n")
    except (OSError, Unfit):
        return b""
