"""The lines of a redacted message are written again without its text, in files that others append to.

The log is told of the new lines first, so the next pass does not take them for news or for edits. The file is
replaced as any other (`replacement.py`), so no line is lost that is appended in the meantime.
"""

import os
import time
from collections.abc import Iterator

from palaver.bus.session import Session
from palaver.log.lock import Lock
from palaver.model.errors import LogLocked
from palaver.model.event import Event
from palaver.model.limits import LOCK_SECONDS
from palaver.model.mounted_files import Growth
from palaver.sync import replaced_files
from palaver.sync.folded_file import open_folded
from palaver.sync.foreign_file import Unfit, has_writer, open_to_read
from palaver.sync.held_texts import MessageLines, parsed
from palaver.sync.intake.file_events import hashed
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.sync.render import replacement
from palaver.sync.render.announcement import announce_lines
from palaver.sync.render.projected_logs import recorded_lines
from palaver.sync.report import Report

# How long a program may take from finding a file to having it open.
_OPENING_SECONDS = 0.1


def rewrite_files(session: Session, event: Event) -> list[str]:
    """Take the text of a message out of the files that say it; return those that were rewritten."""
    lock = Lock(session.root.sync_lock)
    if not lock.acquire(LOCK_SECONDS):
        raise LogLocked("cannot rewrite the files", "another process is syncing", "try again in a moment")
    try:
        return list(_rewrite(session, MessageLines(session, event)))
    finally:
        lock.release()


def remove_replaced(session: Session) -> None:
    """Remove replaced files at once that no program has open and that gained nothing: they hold the text."""
    for mounted in mount_points(session.root.path, session.view.current().roster().mounts):
        for old in replaced_files.entries(session.root, mounted.name, mounted.path):
            # A program that found the file just before it was replaced has opened it by now.
            time.sleep(max(0.0, _OPENING_SECONDS - old.age))
            try:
                fd, found = open_to_read(old.path)
            except (OSError, Unfit):
                continue
            try:
                known, digest = old.known(found)
                is_as_it_was = found.st_size == known and replaced_files.digest_of(fd, known) == digest
                if is_as_it_was and has_writer(fd) is False:
                    replaced_files.remove(old.path)
            finally:
                os.close(fd)


def _rewrite(session: Session, lines: MessageLines) -> Iterator[str]:
    for mounted in mount_points(session.root.path, session.view.current().roster().mounts):
        for file, growth in mounted.listing().files:
            if growth is Growth.LOG and not mounted.barred(os.path.dirname(file)):
                try:
                    is_done = _rewrite_file(session, mounted, file, lines)
                except (OSError, Unfit):
                    # It still holds the text, and is named.
                    continue
                if is_done:
                    yield f"{mounted.name}/{file}"


def _rewrite_file(session: Session, mounted: MountPoint, file: str, lines: MessageLines) -> bool:
    """Rewrite one file; return False if there was nothing to do, or it must be left alone for now."""
    with open_folded(mounted.full(file)) as current:
        recorded = recorded_lines(session, mounted, file, current)
        if recorded is None:
            return False
        old, tail = recorded
        new = _without_text(mounted, file, lines, old)
        if new == old:
            return False
        replacement.check_owner(current)
        announce_lines(session, Report(), mounted.name, file, _hashes(mounted, file, new))
        return replacement.replace(session.root, mounted, file, current, new + tail, grows=True)


def _without_text(mounted: MountPoint, file: str, lines: MessageLines, old: bytes) -> bytes:
    """Return the content of a file with the entries of a message written again."""
    parts: list[bytes] = []
    before = set(_hashes(mounted, file, old))
    reached = 0
    for piece in lines.pieces(mounted, file, old):
        end = piece.start + piece.length
        fresh = lines.redacted_form(mounted, file, piece, old[piece.start : end])
        # Of two equal lines only one would be recognised.
        is_twice = hashed(fresh) in before and fresh != old[piece.start : end]
        parts += [old[reached : piece.start], b"" if is_twice else fresh]
        before.add(hashed(fresh))
        reached = end
    return b"".join([*parts, old[reached:]])


def _hashes(mounted: MountPoint, file: str, content: bytes) -> dict[str, None]:
    """Return the hashes of the entries of a file, in their order."""
    pieces = parsed(mounted, file, content)
    return dict.fromkeys(hashed(content[each.start : each.start + each.length]) for each in pieces)
