"""The files of a mount that changed since they were last read, each recorded by how it changes."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from palaver.model.dialect import Growth
from palaver.model.errors import Refusal
from palaver.model.limits import BLOCK_BYTES, CHUNK_BYTES, MERGED_FILES
from palaver.sync import drop_intake, replaced_files
from palaver.sync.board_files import edit_intake
from palaver.sync.foreign_file import Unfit
from palaver.sync.intake import replaced_file_intake
from palaver.sync.intake.file_events import draft
from palaver.sync.intake.file_intake import take_in_logs
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.intake.read_quota import ReadQuota
from palaver.sync.render.debts import Debt

# A file as it was when it was last read to its end: inode, size, time of the last write.
Stamp = tuple[int, int, int]
# A log may repeat an inbox file, so those are read first. A board file follows from the logs; but in a new
# mount its tasks must be known before lines of the logs move them.
_SINCE_THE_MOUNT = (Growth.DROP, Growth.LOG, Growth.STATE)
_BEFORE_THE_MOUNT = (Growth.DROP, Growth.STATE, Growth.LOG)
# Two writes that are further apart than this have different times.
_TICK_NS = 50_000_000


class Scan:
    """Records what changed in the files of mounts; remembers the files that were read to their end."""

    def __init__(self) -> None:
        """Start with no file known."""
        self._stamps: dict[tuple[str, str], Stamp] = {}

    def take_in(self, intake: Intake, debt: Debt, quota: ReadQuota) -> None:
        """Record what is new in the files of a mount, except what is left to the next pass."""
        each = intake.mounted
        has_replaced = bool(replaced_files.entries(intake.core.root, each.name, each.path))
        if has_replaced:
            replaced_file_intake.recover(intake)
        changed = self._changed(intake, debt)
        for growth in _BEFORE_THE_MOUNT if intake.history else _SINCE_THE_MOUNT:
            some = [(file, stamp) for file, kind, stamp in changed if kind is growth]
            if growth is not Growth.LOG:
                for file, stamp in some:
                    self._take_whole(intake, file, growth, stamp, quota)
                continue
            for start in range(0, len(some), MERGED_FILES):
                self._take_logs(intake, some[start : start + MERGED_FILES], debt, quota)
        if each.has_board_files:
            edit_intake.take_removals(intake)
        name = intake.mounted.name
        intake.settled(is_all=not any(mount == name for mount, _ in intake.report.unfinished))
        if has_replaced:
            replaced_file_intake.drain(intake)

    def _changed(self, intake: Intake, debt: Debt) -> list[tuple[str, Growth, Stamp | None]]:
        """Return the files that changed, and those that are owed something."""
        mounted = intake.mounted
        found: list[tuple[str, Growth, Stamp | None]] = []
        for file, growth in intake.files:
            stamp = _stamp(mounted.full(file))
            if stamp is None or self._stamps.get((mounted.name, file)) != stamp or file in debt.files:
                found.append((file, growth, stamp))
        return found

    def _take_logs(
        self, intake: Intake, logs: list[tuple[str, Stamp | None]], debt: Debt, quota: ReadQuota
    ) -> None:
        """Record files that grow, in the order of the times of their lines."""
        mounted, report = intake.mounted, intake.report
        block_bytes = max(BLOCK_BYTES, CHUNK_BYTES // max(1, len(logs)))
        with ExitStack() as stack:
            files: list[tuple[GrowingFile, str, Stamp | None]] = []
            for file, stamp in logs:
                with _trouble_reported(intake, file):
                    opened = GrowingFile(
                        intake, shown(file), mounted.full(file), debt, quota, block_bytes=block_bytes
                    )
                    stack.callback(opened.close)
                    files.append((opened, file, stamp))
            with _trouble_reported(intake, ""):
                take_in_logs(intake, [opened for opened, _, _ in files], debt)
                for opened, file, stamp in files:
                    if opened.is_cut:
                        report.unfinished.add((mounted.name, opened.file))
                    report.unsettled = report.unsettled or opened.is_unsettled
                    if not (opened.is_cut or opened.is_unsettled):
                        self._remember(intake, file, stamp)

    def _take_whole(
        self, intake: Intake, file: str, growth: Growth, stamp: Stamp | None, quota: ReadQuota
    ) -> None:
        """Record a file that is read as a whole."""
        mounted, report = intake.mounted, intake.report
        if quota.is_over():
            report.unfinished.add((mounted.name, shown(file)))
            return
        path = mounted.full(file)
        unsettled, report.unsettled = report.unsettled, False
        with _trouble_reported(intake, file):
            quota.add_file(os.path.getsize(path))
            if growth is Growth.DROP:
                drop_intake.take_drop(intake, shown(file), path)
            else:
                edit_intake.take_board_file(intake, shown(file), path)
            if not report.unsettled:
                self._remember(intake, file, stamp)
        report.unsettled = report.unsettled or unsettled

    def _remember(self, intake: Intake, file: str, stamp: Stamp | None) -> None:
        # Another write could have the same time as one of just now.
        if stamp and time.time_ns() - stamp[2] >= _TICK_NS:
            self._stamps[intake.mounted.name, file] = stamp


@contextmanager
def _trouble_reported(intake: Intake, file: str) -> Iterator[None]:
    """Report what goes wrong with one file, so that the others are read all the same."""
    try:
        yield
    except FileNotFoundError:
        # It was deleted during the pass; what was recorded of it stays in the log.
        return
    except Unfit as unfit:
        report_unfit(intake, shown(file), unfit)
    except (OSError, Refusal) as fault:
        intake.report.trouble(intake.mounted.name, shown(file), str(fault))


def is_open(intake: Intake) -> bool:
    """Return True if a mount can be read; report the folders that cannot."""
    each = intake.mounted
    if barred := each.barred(""):
        report_unfit(intake, "", barred)
        return False
    for folder in dict.fromkeys(watched.folder for watched in each.watched()):
        if barred := each.barred(folder):
            report_unfit(intake, folder, barred)
    return True


def register_residents(intake: Intake, debt: Debt) -> None:
    """Register the agents that the config, the settings or the files of a mount name."""
    each = intake.mounted
    files = (file for file, growth in intake.files if growth is Growth.LOG)
    theirs = [file for file in files if file not in debt.files and not _is_ours(intake, file)]
    named = (*each.dialect.residents(each.mount, theirs), *each.agents)
    drafts = [
        registered
        for agent in named
        for registered in intake.resolver.register(f"{each.prefix}/{agent}" if each.prefix else agent)
    ]
    if drafts:
        intake.core.log.append(drafts)
        intake.report.events += len(drafts)


def report_unfit(intake: Intake, file: str, unfit: Unfit) -> None:
    """Record once that a file or a folder may not be read."""
    intake.report.trouble(intake.mounted.name, file, unfit.why)
    key = f"unfit:{intake.mounted.name}:{file}:{unfit.code}"
    if intake.db.execute("select 1 from key where actor = 'palaver' and key = ?", (key,)):
        return
    src: dict[str, object] = {"mount": intake.mounted.name, "file": file}
    data: dict[str, object] = {"code": unfit.code, "message": unfit.why, "fix": unfit.fix, "src": src}
    [(since,)] = intake.db.execute("select seq from place")
    intake.core.log.append([draft("file.found", data, key=key)], since=int(since))
    intake.report.events += 1


def shown(file: str) -> str:
    """Return the name of a file as the log has it: any bytes, as text."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _is_ours(intake: Intake, file: str) -> bool:
    """Return True if all of a file was written by us: then it shows no resident."""
    source = intake.sources.get(file)
    return source is not None and 0 < source.ending <= source.ours


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
