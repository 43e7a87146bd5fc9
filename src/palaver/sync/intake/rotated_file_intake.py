"""Intake from rotated files: renamed in their folder, before or after they were read to their end.

The log knows a file by its inode (`mark`), so the rest of a file that was renamed is read under its new name.
It is read first: it was written before the lines of the file that has its place. Programs that hold it open
may go on writing to it. Each of the last generations is a source of its own, `rotated/<generation>/<file>`.
"""

import os

from palaver.model.event import REPLACED, ROTATED, original_file
from palaver.model.limits import CHUNK_BYTES
from palaver.model.mounted_files import Growth
from palaver.sync.foreign_file import Unfit, has_writer
from palaver.sync.intake.file_events import hashed
from palaver.sync.intake.former_files import find_renamed
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.growing_files import take_in_logs
from palaver.sync.intake.mount_intake import MountIntake, Stamp
from palaver.views.files.known_files import KnownFile


class RotatedFiles:
    """Records what rotated files gain; remembers those that were read to their end."""

    def __init__(self) -> None:
        """Start with none known."""
        # By mount: the paths of rotated files, as they were last read.
        self._stamps: dict[str, dict[str, Stamp | None]] = {}

    def have_changed(self, mount: str) -> bool:
        """Return True if a rotated file of a mount has changed since it was last read."""
        return any(_stamp(path) != stamp for path, stamp in self._stamps.get(mount, {}).items())

    def take_gains(self, intake: MountIntake) -> set[str]:
        """Record what rotated files gained; return the files whose place they had, if they are to wait.

        What the log knows of those files has changed, so they are read by the next pass.
        """
        stamps = self._stamps[intake.mounted.name] = {}
        waiting: set[str] = set()
        for source in intake.sources.values():
            path = _renamed_path(intake, source)
            if not path:
                continue
            stamp = _stamp(path)
            try:
                is_settled = _take_gain(intake, source, path, waiting)
            except FileNotFoundError:
                is_settled = False
            except (OSError, Unfit) as fault:
                intake.report.trouble(intake.mounted.name, source.file, fault)
                is_settled = True
            stamps[path] = stamp if is_settled else None
        return waiting


def _stamp(path: str) -> Stamp | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _renamed_path(intake: MountIntake, source: KnownFile) -> str:
    """Return the path of the file that a source is, if it was renamed; else nothing."""
    file = source.file
    if not file or not source.gen or file.startswith(REPLACED):
        return ""
    if file.startswith(ROTATED):
        return find_renamed(intake, original_file(file), source.mark)
    if intake.mounted.growth(file) is not Growth.LOG:
        return ""
    stamp = _stamp(intake.mounted.full(file))
    is_there = stamp is not None and str(stamp[0]) == source.mark.rpartition(":")[2]
    return "" if is_there else find_renamed(intake, file, source.mark)


def _take_gain(intake: MountIntake, source: KnownFile, path: str, waiting: set[str]) -> bool:
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
