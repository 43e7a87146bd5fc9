"""Files that are read as a whole: messages in an inbox, and small files that are replaced.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os

from palaver.bus.containment import open_folder
from palaver.model.dialect import Growth, Kind, Parsed, Piece, Source
from palaver.model.finding import Finding
from palaver.model.limits import LINE_BYTES
from palaver.sync.dropped import words_of
from palaver.sync.intake import keeping
from palaver.sync.intake.drafting import Drafting
from palaver.sync.intake.events import Batch, Place, draft, hashed
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.opening import is_being_written, opened

# Rules that look at a file alone, at how it is called: what they find is worth saying at once.
_NAMING = frozenset(["COL112"])
# What a dialect says of a file that is called as its protocol wants it.
_BY_NAME = 3
# Where a message goes that was dropped into an inbox of ours, once it is in the log.
TAKEN = ".taken"
# What is left of a name that somebody has already; a name has 255 bytes at most.
_NAME_CHARS = 60


def take_whole(intake: Intake, file: str, path: str, growth: Growth) -> None:
    """Take in a file of an inbox, or one that says what holds now; one that is known is left alone."""
    fd, found = opened(path)
    try:
        mark = f"{found.st_ino}:{found.st_mtime_ns}"
        source = intake.sources.get(file)
        if source is not None and source.mark == mark:
            _empty(intake, path, growth)
            return
        content = os.pread(fd, LINE_BYTES + 1, 0)
        if growth is Growth.DROP and not _is_finished(intake, fd, file, content, found):
            intake.report.unsettled = True
            return
        if growth is Growth.STATE and source is not None and source.sha == hashed(content):
            return
        gen = source.gen + 1 if source else 1
        place = Place(mount=intake.mounted.name, file=file, gen=gen, mark=mark)
        batch = Batch()
        _taken(intake, place, content, found.st_size, batch)
        intake.append_soon(fd, batch)
        if is_ours(intake.mounted):
            # It is about to be moved away.
            intake.flush()
    finally:
        os.close(fd)
    _empty(intake, path, growth)


def _is_finished(intake: Intake, fd: int, file: str, content: bytes, found: os.stat_result) -> bool:
    """Tell whether a dropped file is whole: moved here, left alone, or by its name and its end.

    By these it may still be on its way: then somebody has it open, or has just changed it.
    """
    if keeping.is_whole(found):
        return True
    named = intake.mounted.dialect.recognises(file, b"") == _BY_NAME
    if not named or not content.endswith(b"\n") or is_being_written(fd):
        return False
    now = os.fstat(fd)
    return (now.st_size, now.st_mtime_ns) == (found.st_size, found.st_mtime_ns)


def _taken(intake: Intake, place: Place, content: bytes, size: int, batch: Batch) -> None:
    mounted = intake.mounted
    drafting = Drafting(mounted, place, intake.roster, intake.known, batch)
    drafting.history = intake.history
    source = Source(path=place.file, content=content, mount=mounted.mount)
    parsed = mounted.dialect.parse(source) if 0 < size <= LINE_BYTES else None
    pieces = parsed.pieces if parsed else (Piece(Kind.QUARANTINED, 0, size, 1, reason="no-message"),)
    why = parsed.findings[0].message if parsed and parsed.findings else "it is empty, or too long"
    drafting.welcome(pieces)
    for piece in pieces:
        sha = hashed(content)
        refused = drafting.take(piece, content, sha) if piece.kind is Kind.EVENT else piece.reason
        if refused:
            batch.drafts.append(intake.quarantine(place, (0, piece.length), content, (refused, why), []))
        elif piece.kind is Kind.BLANK:
            batch.drafts.append(draft("file.recorded", {"kind": "blank"}, place.src(0, size, sha)))
        elif parsed and (odd := _odd(mounted, source, parsed)):
            batch.drafts.append(drafting.found(odd.code, odd.message, content, odd.fix, odd.place.line))
    if is_ours(intake.mounted):
        # Then the line of the log is ours to write too.
        return
    words = words_of(content)
    for each in batch.drafts:
        if each.event_type == "mail.sent" and each.src:
            each.src["words"] = words


def _odd(mounted: MountPoint, source: Source, parsed: Parsed) -> Finding | None:
    """Return the one thing that is odd about a message that was kept: its file's name before its text."""
    named = (rule.check(source, parsed, {}) for rule in mounted.dialect.rules if rule.code in _NAMING)
    return next((finding for each in (*named, parsed.findings) for finding in each), None)


def _empty(intake: Intake, path: str, growth: Growth) -> None:
    """Move what is in the log out of an inbox that is ours to empty."""
    if growth is not Growth.DROP or not is_ours(intake.mounted):
        return
    folder, name = os.path.split(path)
    try:
        base, inbox = os.path.split(folder)
        taken = open_folder(base, f"{inbox}/{TAKEN}", create=0o700)
        try:
            os.rename(path, _free_name(taken, name), dst_dir_fd=taken)
        finally:
            os.close(taken)
    except OSError as fault:
        intake.report.trouble(intake.mounted.name, name, fault.strerror or str(fault))


def _free_name(folder: int, name: str) -> str:
    """Return a name that no file of an open folder has: what others wrote is never overwritten."""
    free, number = name, 1
    while _exists(folder, free):
        number += 1
        free = f"{name[:_NAME_CHARS]}~{number}"
    return free


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def is_ours(mounted: MountPoint) -> bool:
    """Tell whether the inbox of a mount is ours to empty."""
    return mounted.mount.settings.get("inbox") == "ours"
