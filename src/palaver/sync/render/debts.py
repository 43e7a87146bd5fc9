"""Debts: what the log owes to the files of a mount.

These are the messages whose recipients lived there when they were sent, except those that were found in the
files. The bytes of a rendering depend on the event and the mount alone, so every pass recognises them.
"""

import os

from palaver.bus.session import Session
from palaver.model.dialect import Growth
from palaver.model.errors import Refusal
from palaver.model.event import Event, text
from palaver.model.limits import OWED
from palaver.model.message import Message, from_event
from palaver.sync.intake.echoes import Rendering
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.names import Names
from palaver.sync.render.event_feed import EventFeed
from palaver.views.agents.roster import Roster
from palaver.views.files import outstanding
from palaver.views.query import Query


class Debt:
    """What the files of one mount are still owed."""

    def __init__(self, feed: EventFeed | None = None) -> None:
        """Start with nothing; `feed` has the events that are owed, if the mount has a file for all events."""
        #: By file, oldest first.
        self.files: dict[str, list[Rendering]] = {}
        #: By message: the files that do not have it yet.
        self.left: dict[int, set[str]] = {}
        #: Files that were written beside their place and not moved yet: (message, file).
        self.prepared: set[tuple[int, str]] = set()
        #: Messages that were withdrawn: recognised if they are found, but not written.
        self.silent: set[int] = set()
        #: Messages that cannot be rendered here, with the reason, or need not be.
        self.impossible: list[tuple[int, str]] = []
        #: Whether a message was read, and the files may not say so yet.
        self.read = False
        #: Lines that a file gained after it was replaced, by file, oldest first (`late_lines.py`).
        self.carried: dict[str, list[Rendering]] = {}
        #: The same by file and hash: the events that took them in.
        self.hashes: dict[tuple[str, str], list[int]] = {}
        #: Such lines that cannot be copied.
        self.lost: list[int] = []
        self._feed = feed
        #: The file for all events; empty if the mount has none.
        self.event_file = feed.file if feed is not None else ""
        # Events that were found in the file for all events.
        self._events: set[int] = set()

    def leave_out(self, files: set[str]) -> None:
        """Write nothing to these files for now."""
        for owed_files in (self.files, self.carried):
            for file in files & owed_files.keys():
                del owed_files[file]

    def take_carried(self, file: str, sha: str) -> int:
        """Return the event of a carried line that was found in its file, or 0; each is found once."""
        seqs = self.hashes.get((file, sha))
        if not seqs:
            return 0
        seq = seqs[0]
        for known in self.hashes.values():
            if seq in known:
                known.remove(seq)
        self.carried[file] = [each for each in self.carried[file] if each.seq != seq]
        return seq

    def confirmed(self, file: str, seqs: list[int]) -> dict[str, object]:
        """Note what was found in a file; return what the log is told of it."""
        if self._feed is not None and file == self.event_file:
            self._events.update(seqs)
            return {"messages": seqs, "through": self._feed.through(self._events)}
        return {"messages": seqs, "done": [seq for seq in seqs if self.stands(seq, file)]}

    def narrowed(self) -> bool:
        """Leave out what was found in the files; return True if the rest is all that is owed.

        If not, the view must be asked again: there may be more than was looked up, or more than lines.
        """
        if self.silent or self.impossible or self.prepared or self.read:
            return False
        if any(len(known) >= OWED for known in self.files.values()):
            return False
        left = {
            file: [each for each in known if not self._is_met(each.seq, file)]
            for file, known in self.files.items()
        }
        self.files = {file: waiting for file, waiting in left.items() if waiting}
        return True

    def _is_met(self, seq: int, file: str) -> bool:
        if self._feed is not None and file == self.event_file:
            return seq in self._events
        return file not in self.left[seq]

    def stands(self, seq: int, file: str) -> bool:
        """Note that a message was found in a file; return True if all of its files have it now."""
        left = self.left.get(seq, set())
        left.discard(file)
        return not left


def find_debt(
    core: Session, db: Query, mounted: MountPoint, roster: Roster, feed: EventFeed | None = None
) -> Debt:
    """Return what a mount is owed, at most as much as one pass writes."""
    found = Debt(feed)
    if feed is not None and (events := feed.owed(db)):
        found.files[feed.file] = [feed.rendered(event) for event in events]
        found.read = any(event.event_type == "mail.read" for event in events)
    names = Names(mounted, roster)
    echoed = outstanding.echoed(db, mounted.name)
    for seq, place, silent in outstanding.outstanding(db, mounted.name, OWED):
        if silent:
            found.silent.add(seq)
        event = core.log.at(place)
        if event is None or event.seq != seq:
            found.impossible.append((seq, "its line in the log is damaged"))
            continue
        try:
            source = text(event.src or {}, "mount")
            said = names.local(from_event(event), outstanding.meant(db, seq), source)
            _add(found, event, said, mounted, echoed)
        except Refusal as refused:
            found.impossible.append((seq, refused.why or refused.what))
    return found


def _add(
    found: Debt, event: Event, said: Message, mounted: MountPoint, echoed: dict[tuple[int, str], str]
) -> None:
    src = event.src or {}
    if said.redacted:
        found.impossible.append((event.seq, ""))
        return
    if text(src, "mount") == mounted.name:
        files = mounted.dialect.onward(said, mounted.mount, text(src, "file"))
    else:
        files = mounted.dialect.files(said, mounted.mount)
    left = {file for file in files if echoed.get((event.seq, file)) != "echoed"}
    left = {file for file in left if mounted.growth(file) is not Growth.DROP or _has_folder(mounted, file)}
    if not left:
        found.impossible.append((event.seq, ""))
        return
    found.left[event.seq] = left
    for file in sorted(left):
        if echoed.get((event.seq, file)) == "prepared":
            found.prepared.add((event.seq, file))
        rendered = mounted.dialect.render(said, mounted.mount, file)
        found.files.setdefault(file, []).append(Rendering(event.seq, rendered))


def _has_folder(mounted: MountPoint, file: str) -> bool:
    """Return True if the folder of a dropped file exists; otherwise no program waits for the file."""
    return os.path.isdir(os.path.dirname(mounted.full(file)))
