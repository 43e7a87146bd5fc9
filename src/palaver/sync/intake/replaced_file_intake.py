"""Intake from files that are not in their places any more: the lines that they gain are recorded.

Those that the bus has replaced are removed in the end; `render/debts.py` adds their lines to the new file.

Others were renamed in their folder, mostly to be rotated. The log knows a file by its inode (`mark`), so its
rest is read under its new name, and first: it was written before the lines of the file that has its place.
Programs that hold it open may go on writing to it. Each of its last generations is a source of its own,
`rotated/<generation>/<file>`.
"""

import os
import time

from palaver.model.event import ROTATED, original_file
from palaver.model.limits import (
    CHUNK_BYTES,
    FOREIGN_BYTES,
    REPLACED_BLIND_SECONDS,
    REPLACED_IDLE_SECONDS,
    REPLACED_SECONDS,
)
from palaver.model.mounted_files import Growth
from palaver.sync import foreign_file, replaced_files
from palaver.sync.foreign_file import Unfit, end_line, has_writer, open_to_read
from palaver.sync.intake.file_events import hashed
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.growing_files import take_in_logs
from palaver.sync.intake.mount_intake import MountIntake, ReadQuota, Stamp, stamp_of
from palaver.sync.render import replacement
from palaver.sync.replaced_files import ReplacedFile
from palaver.views.files import outstanding
from palaver.views.files.known_files import KnownFile


def recover(intake: MountIntake) -> None:
    """Put back files that another program saved while they were being replaced.

    The process that replaced a file does so itself (`replacement.py`), unless it died first. And a program
    that had a small file open may have saved it in place after that.
    """
    for old in intake.replaced:
        path, growth = _place(intake, old)
        try:
            if path and os.lstat(path).st_ino == old.inode and _was_saved(intake, old, path, growth):
                replacement.restore(old, path)
        except FileNotFoundError:
            continue


def take_gains(intake: MountIntake) -> None:
    """Record what replaced files gained.

    That comes before the new lines of the files that replaced them, which were most likely written later.
    """
    for old in intake.replaced:
        try:
            if _place(intake, old)[1] is Growth.LOG:
                _take_gain(intake, old)
        except (FileNotFoundError, Unfit):
            continue


def remove_unused(intake: MountIntake) -> None:
    """Remove replaced files that no program can write to any more."""
    for old in intake.replaced:
        try:
            if _can_go(intake, old):
                replaced_files.remove(old.path)
        except (FileNotFoundError, Unfit):
            continue


def _place(intake: MountIntake, old: ReplacedFile) -> tuple[str, Growth]:
    """Return the path that a replaced file had, and how it changes."""
    file = old.file(intake.sources)
    return (intake.mounted.full(file), intake.mounted.growth(file)) if file else ("", Growth.STATE)


def _was_saved(intake: MountIntake, old: ReplacedFile, path: str, growth: Growth) -> bool:
    """Return True if an entry holds what another program saved, and the new file is not newer than that."""
    found = os.lstat(old.path)
    if found.st_ino == old.inode:
        return False
    if growth is not Growth.LOG:
        is_saved = not replacement.is_unchanged(old.path, old.size, old.digest, grows=False)
        return is_saved and replacement.is_unchanged(path, old.fresh_size, old.fresh_digest, grows=False)
    source = intake.sources.get(old.file())
    is_read = source is not None and source.mark == f"{found.st_dev}:{old.inode}"
    if is_read or old.source in intake.sources:
        # The log knows lines of both files by now.
        return False
    return not replacement.is_unchanged(old.path, old.size, old.digest, grows=True)


def _take_gain(intake: MountIntake, old: ReplacedFile) -> None:
    """Record the lines that a replaced file gained."""
    found = os.lstat(old.path)
    known, digest = old.known(found)
    source = intake.sources.get(old.source)
    if found.st_size == (source.ending if source else known):
        return
    is_changed = source is None and not replacement.begins_with(old.path, known, digest)
    if found.st_size < known or is_changed:
        words = f"it was rewritten in place while it was being replaced; that content is in {old.path}"
        intake.report.trouble(intake.mounted.name, old.file(), words)
        return
    file = GrowingFile(intake, old.source, old.path, CHUNK_BYTES, known=known)
    try:
        take_in_logs(intake, [file], ReadQuota(lambda: False, FOREIGN_BYTES))
    finally:
        os.close(file.fd)
    intake.report.unsettled = intake.report.unsettled or file.is_unsettled
    _end_line(intake, old)


def _end_line(intake: MountIntake, old: ReplacedFile) -> None:
    """End the last line of a replaced file, if no program will do so any more."""
    fd, found = open_to_read(old.path)
    try:
        if os.pread(fd, 1, found.st_size - 1) == b"\n":
            return
        intake.report.unsettled = True
        is_abandoned = foreign_file.is_quiet(found) and has_writer(fd) is not True
    finally:
        os.close(fd)
    if is_abandoned:
        end_line(old.path)


def _can_go(intake: MountIntake, old: ReplacedFile) -> bool:
    """Return True if no program can write to a replaced file any more, and all that it gained was copied."""
    if old.age < REPLACED_SECONDS or outstanding.has_late_lines(intake.db, intake.mounted.name, old.source):
        return False
    fd, found = open_to_read(old.path)
    try:
        if _place(intake, old)[1] is Growth.LOG and not _is_taken_in(intake, old, fd, found):
            return False
        return not _may_be_written(fd, found, old.age)
    finally:
        os.close(fd)


def _is_taken_in(intake: MountIntake, old: ReplacedFile, fd: int, found: os.stat_result) -> bool:
    """Return True if all that a replaced file gained is recorded."""
    source = intake.sources.get(old.source)
    taken = max(old.known(found)[0], source.ending if source else 0)
    return found.st_size >= taken and not os.pread(fd, found.st_size - taken, taken).strip()


def _may_be_written(fd: int, found: os.stat_result, age: float) -> bool:
    """Return True if a program has a file open for writing, or may have where the file system cannot tell."""
    writer = has_writer(fd)
    if writer is not None:
        return writer
    idle = time.time() - found.st_mtime
    return age < REPLACED_BLIND_SECONDS or idle < min(age, REPLACED_IDLE_SECONDS)


# --- renamed files ---


def take_renamed(intake: MountIntake, renamed: dict[str, str], stamps: dict[str, Stamp | None]) -> set[str]:
    """Record what renamed files gained; return the files whose place they had, if they are to wait.

    What the log knows of those files has changed, so they are read by the next pass. `stamps` gets the files
    as they were when they were read to their end, by path.
    """
    waiting: set[str] = set()
    for name, path in renamed.items():
        try:
            found = os.lstat(path)
            is_settled = _take_rest(intake, intake.sources[name], path, waiting)
            stamps[path] = stamp_of(found) if is_settled else None
        except FileNotFoundError:
            continue
        except (OSError, Unfit) as fault:
            intake.report.trouble(intake.mounted.name, name, fault)
    return waiting


def _take_rest(intake: MountIntake, source: KnownFile, path: str, waiting: set[str]) -> bool:
    """Record what a renamed file gained; return False if it must be read again soon."""
    report, name = intake.report, intake.mounted.name
    if not _has_gained(source, path):
        return True
    file = GrowingFile(intake, source.file, path, CHUNK_BYTES)
    try:
        # No program will complete its last line.
        file.ends_here = file.is_quiet and has_writer(file.fd) is not True
        begun = file.start
        take_in_logs(intake, [file], intake.quota)
        is_read = file.start > begun
        is_whole = os.fstat(file.fd).st_size == file.start
    finally:
        os.close(file.fd)
    if file.is_cut or (is_read and not source.file.startswith(ROTATED)):
        waiting.add(original_file(source.file))
        report.unfinished.add((name, original_file(source.file)))
    elif not is_whole:
        report.unsettled = True
    return is_whole


def _has_gained(source: KnownFile, path: str) -> bool:
    """Return True if a file has more than was read of it, and still has that."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if os.fstat(fd).st_size <= source.ending:
            return False
        return not source.length or hashed(os.pread(fd, source.length, source.offset)) == source.sha
    finally:
        os.close(fd)
