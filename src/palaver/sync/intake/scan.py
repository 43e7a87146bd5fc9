"""The files of a mount that changed since they were last read, each recorded by how it changes."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from palaver.bus.session import Session
from palaver.model.errors import Refusal
from palaver.model.limits import BLOCK_BYTES, CHUNK_BYTES, MERGED_FILES
from palaver.model.mounted_files import Growth
from palaver.sync import replaced_files
from palaver.sync.board_files import edit_intake
from palaver.sync.foreign_file import Unfit
from palaver.sync.intake import drop_intake, replaced_file_intake
from palaver.sync.intake.file_events import draft
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.growing_files import take_in_logs
from palaver.sync.intake.mount_intake import TICK_NS, ChangedFile, MountIntake, PassState, Stamp, stamp_of
from palaver.sync.misnamed_files import report_misnamed
from palaver.sync.mounts.mount_point import MountListing, MountPoint
from palaver.sync.render.debts import Debt
from palaver.sync.report import Report
from palaver.views.files import file_history
from palaver.views.query import has_own_key

# A log may repeat an inbox file, so those are read first. A board file follows from the logs; but in a new
# mount its tasks must be known before lines of the logs move them.
_SINCE_THE_MOUNT = (Growth.DROP, Growth.LOG, Growth.STATE)
_BEFORE_THE_MOUNT = (Growth.DROP, Growth.STATE, Growth.LOG)
# Opening a small file costs as much as reading this many bytes of a large one.
_OPEN_BYTES = 4_096
# A file that keeps growing is compared with the log again after this many times the time that it took.
_CHECK_SHARE = 20
# Events of small files that are put into the log at once.
_TOGETHER = 256


class Scan:
    """Records what changed in the files of mounts; remembers the files that were read to their end."""

    def __init__(self) -> None:
        """Start with no file known."""
        # By mount and name: the files that need not be read again, and all files as they were last read.
        self._stamps: dict[tuple[str, str], Stamp] = {}
        self._last: dict[tuple[str, str], Stamp] = {}
        # Files that grew since all their recorded bytes were compared with the log, and when each of them
        # may be compared again.
        self._unchecked: set[tuple[str, str]] = set()
        self._due: dict[tuple[str, str], float] = {}
        # The files that each mount had when it was last read.
        self._files: dict[str, list[tuple[str, Growth]]] = {}
        # By mount: the paths of renamed files that are still read, as they were last read.
        self._renamed: dict[str, dict[str, Stamp | None]] = {}
        # Line numbers that earlier passes have counted, by mount.
        self._lines: dict[str, dict[str, tuple[int, int, int]]] = {}

    def begin(self, state: PassState, mounted: MountPoint, debt: Debt) -> MountIntake | None:
        """Look at the files of a mount; return None if it need not be read, as most of the time."""
        replaced = replaced_files.tidy(state.session.root, mounted.name, mounted.path)
        listing = mounted.listing()
        for folder, unfit in listing.unfit.items():
            report_unfit(state.session, state.report, mounted.name, folder, unfit)
        if "" in listing.unfit:
            return None
        changed = self._changed(mounted, listing, debt, is_thorough=state.is_thorough)
        others = self._changed_others(mounted, listing)
        is_as_before = self._files.get(mounted.name) == listing.files
        renamed = self._renamed.get(mounted.name, {})
        is_as_before = is_as_before and all(_stamp_at(path) == stamp for path, stamp in renamed.items())
        if is_as_before and not (changed or others or debt or replaced):
            return None
        intake = MountIntake(state, mounted, debt, listing, self._lines.setdefault(mounted.name, {}))
        intake.replaced, intake.changed, intake.others = replaced, changed, others
        return intake

    def has_board_news(self, intake: MountIntake) -> bool:
        """Return True if a file that shows the board may have changed since the mount was last read."""
        if intake.replaced or self._files.get(intake.mounted.name) != intake.listing.files:
            return True
        return any(intake.mounted.dialect.board_files.codec(each.name) for each in intake.changed)

    def take_in(self, intake: MountIntake) -> None:
        """Record what is new in the files of a mount, except what is left to the next pass."""
        if intake.replaced:
            replaced_file_intake.recover(intake)
            replaced_file_intake.take_gains(intake)
            intake.changed = self._changed(
                intake.mounted, intake.listing, intake.debt, is_thorough=intake.is_thorough
            )
        self._take_renamed(intake)
        for growth in _BEFORE_THE_MOUNT if intake.history else _SINCE_THE_MOUNT:
            some = [file for file in intake.changed if file.growth is growth]
            if growth is Growth.LOG:
                for start in range(0, len(some), MERGED_FILES):
                    self._take_logs(intake, some[start : start + MERGED_FILES])
            else:
                for file in some:
                    self._take_whole(intake, file)
        for file in intake.others:
            with _trouble_reported(intake, file.name):
                if report_misnamed(intake, file):
                    self._stamp(intake, file)
                else:
                    intake.report.unsettled = True
        self._files[intake.mounted.name] = intake.listing.files
        _finish(intake)

    def _take_renamed(self, intake: MountIntake) -> None:
        """Record what files gained that were renamed; the files in their places may have to wait for that."""
        stamps = self._renamed[intake.mounted.name] = {}
        if renamed := intake.renamed():
            waiting = replaced_file_intake.take_renamed(intake, renamed, stamps)
            intake.changed = [file for file in intake.changed if file.name not in waiting]

    def _changed(
        self, mounted: MountPoint, listing: MountListing, debt: Debt, *, is_thorough: bool
    ) -> list[ChangedFile]:
        """Return the files that changed, and those that are owed something; all of them if it is thorough."""
        found: list[ChangedFile] = []
        for file, growth in listing.files:
            name, path, stamp = _seen(mounted, file)
            key = (mounted.name, name)
            if stamp is None or self._stamps.get(key) != stamp or file in debt.files or is_thorough:
                found.append(ChangedFile(name, path, growth, stamp, self._is_suspect(key, stamp)))
        return found

    def _changed_others(self, mounted: MountPoint, listing: MountListing) -> list[ChangedFile]:
        """Return the files that are not read, and changed since they were last looked at."""
        seen = (_seen(mounted, file) for file in listing.others)
        return [
            ChangedFile(name, path, Growth.LOG, stamp)
            for name, path, stamp in seen
            if stamp and self._stamps.get((mounted.name, name)) != stamp
        ]

    def _is_suspect(self, key: tuple[str, str], stamp: Stamp | None) -> bool:
        """Return True if a file was written to where it is recorded, or may have been and it is time to look.

        A file that only grew may have been edited, too.
        """
        last = self._last.get(key, stamp)
        if last is None or stamp is None or last[0] != stamp[0]:
            return False
        if last[1] < stamp[1]:
            self._unchecked.add(key)
        is_touched = last != stamp and last[1] == stamp[1]
        return is_touched or (key in self._unchecked and time.monotonic() >= self._due.get(key, 0.0))

    def _take_logs(self, intake: MountIntake, changed: list[ChangedFile]) -> None:
        """Record files that grow, in the order of the times of their lines."""
        block_bytes = max(BLOCK_BYTES, CHUNK_BYTES // len(changed))
        with ExitStack() as stack:
            opened: list[tuple[GrowingFile, ChangedFile]] = []
            for file in changed:
                with _trouble_reported(intake, file.name):
                    growing = self._open(intake, file, block_bytes)
                    stack.callback(os.close, growing.fd)
                    opened.append((growing, file))
            with _trouble_reported(intake, ""):
                news = [
                    growing
                    for growing, _ in opened
                    if growing.has_more or growing.opening or growing.is_rewritten
                ]
                if news:
                    take_in_logs(intake, news, intake.quota)
                for growing, file in opened:
                    if growing.is_cut:
                        intake.report.unfinished.add((intake.mounted.name, file.name))
                    elif growing.is_unsettled:
                        intake.report.unsettled = True
                    else:
                        self._remember(intake, file)

    def _open(self, intake: MountIntake, file: ChangedFile, block_bytes: int) -> GrowingFile:
        """Open a file that grows; if it is suspect, its recorded bytes are compared with the log."""
        is_suspect, begun = file.is_suspect or intake.is_thorough, time.monotonic()
        growing = GrowingFile(intake, file.name, file.path, block_bytes, is_suspect=is_suspect)
        if is_suspect:
            key, ended = (intake.mounted.name, file.name), time.monotonic()
            self._unchecked.discard(key)
            self._due[key] = ended + _CHECK_SHARE * (ended - begun)
        return growing

    def _take_whole(self, intake: MountIntake, file: ChangedFile) -> None:
        """Record a file that is read as a whole."""
        report = intake.report
        if intake.quota.is_over():
            report.unfinished.add((intake.mounted.name, file.name))
            return
        take = drop_intake.take_drop if file.growth is Growth.DROP else edit_intake.take_board_file
        with _trouble_reported(intake, file.name):
            intake.quota.read += os.path.getsize(file.path) + _OPEN_BYTES
            if take(intake, file.name, file.path):
                self._remember(intake, file)
            intake.flush(_TOGETHER)

    def _remember(self, intake: MountIntake, file: ChangedFile) -> None:
        if file.stamp is None:
            return
        key = (intake.mounted.name, file.name)
        self._last[key] = file.stamp
        if key in self._unchecked:
            intake.report.unsettled = True
            return
        self._stamp(intake, file)

    def _stamp(self, intake: MountIntake, file: ChangedFile) -> None:
        """Note that a file need not be looked at again until it changes."""
        # Another write could have the same time as one of just now.
        if file.stamp and time.time_ns() - file.stamp[2] >= TICK_NS:
            self._stamps[intake.mounted.name, file.name] = file.stamp


def _seen(mounted: MountPoint, file: str) -> tuple[str, str, Stamp | None]:
    """Return the name of a file as the log has it, its path, and its stamp; None if it is gone."""
    name, path = os.fsencode(file).decode("utf-8", "backslashreplace"), f"{mounted.path}/{file}"
    return name, path, _stamp_at(path)


def _stamp_at(path: str) -> Stamp | None:
    """Return the stamp of a file, None if it is gone."""
    try:
        return stamp_of(os.lstat(path))
    except OSError:
        return None


@contextmanager
def _trouble_reported(intake: MountIntake, file: str) -> Iterator[None]:
    """Report what goes wrong with one file, so that the others are read all the same."""
    try:
        yield
    except FileNotFoundError:
        # It was deleted during the pass; what was recorded of it stays in the log.
        return
    except Unfit as unfit:
        report_unfit(intake.session, intake.report, intake.mounted.name, file, unfit)
    except (OSError, Refusal) as fault:
        intake.report.trouble(intake.mounted.name, file, str(fault))


def _finish(intake: MountIntake) -> None:
    """Record what can only be known when all files of a mount were read."""
    if intake.listing.has_board_files:
        edit_intake.take_removals(intake)
    intake.flush()
    unfinished = {name for name, _ in intake.report.unfinished}
    if intake.history and not intake.has_open_history and intake.mounted.name not in unfinished:
        intake.end_history()
    if intake.replaced:
        replaced_file_intake.remove_unused(intake)


def register_residents(intake: MountIntake) -> None:
    """Register the agents that the config, the settings or the files of a mount name.

    Those that lived in its folder when that had another name as a mount still do.
    """
    mounted = intake.mounted
    files: list[str] = []
    for file, growth in intake.listing.files:
        source = intake.sources.get(file)
        # A file that was written by us alone shows no resident.
        is_ours = source is not None and 0 < source.ending <= source.ours
        if growth is Growth.LOG and not is_ours and file not in intake.debt.files:
            files.append(file)
    drafts = []
    if intake.history:
        for former in file_history.former_mounts(intake.db, mounted.name, mounted.path):
            for agent in intake.roster.residents(former):
                drafts += intake.resolver.register(agent)
    for named in (*mounted.dialect.residents(mounted.mount, files), *mounted.agents):
        agent = f"{mounted.prefix}/{named}" if mounted.prefix else named
        drafts += intake.resolver.register(agent)
    if drafts:
        intake.session.log.append(drafts)
        intake.report.events += len(drafts)


def report_unfit(
    session: Session, report: Report, mount: str, file: str, unfit: Unfit, *, told: str = ""
) -> None:
    """Record once that a file or a folder may not be read; one agent may be told."""
    report.trouble(mount, file, unfit)
    key = f"unfit:{mount}:{file}:{unfit.code}"
    if has_own_key(session.view, key):
        return
    src: dict[str, object] = {"mount": mount, "file": file}
    data: dict[str, object] = {"code": unfit.code, "message": unfit.why, "fix": unfit.fix, "src": src}
    if told:
        data |= {"author": told, "about": "file"}
    session.log.append([draft("file.found", data, key=key)], since=session.view.seq)
    report.events += 1
