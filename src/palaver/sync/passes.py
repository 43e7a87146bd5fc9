"""One pass: take in what is new in every mount, then write what is owed. Anyone may do it, one at a time.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Callable

from palaver.bus.config.config_events import apply
from palaver.bus.session import Session
from palaver.log.lock import Lock
from palaver.model.dialect import Growth
from palaver.model.errors import BadConfig, Refusal
from palaver.model.event import Draft
from palaver.model.limits import FOREIGN_BYTES
from palaver.sync.intake.events import Batch, Place, draft
from palaver.sync.intake.file_kinds import take, take_missing
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.sync.opening import Unfit
from palaver.sync.render import attic, delivery
from palaver.sync.render.debts import CHRONICLE, Chronicle, Owed, owed
from palaver.sync.report import Report
from palaver.sync.turn import Turn
from palaver.views.agents.roster import Roster
from palaver.views.files import sources
from palaver.views.query import Query
from palaver.views.tasks import board

# A file as it was when it was last read to its end: inode, size, time of the last write.
Stamp = tuple[int, int, int]


class Sync:
    """Keeps the mounts of one bus and its log in step."""

    def __init__(
        self,
        core: Session,
        applied: Callable[[Session], object] = apply,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take the bus, who lets the log know the config, and when to be brief."""
        if core.vouched:
            from palaver.bus.identity import unvouched

            core = unvouched(core)
        self.core = core
        self._apply = applied
        self._lock = Lock(core.root.sync_lock)
        self._mounts: list[MountPoint] = []
        self._settings = ""
        self._read: dict[tuple[str, str], Stamp] = {}
        self._chronicles: dict[str, Chronicle] = {}
        self._is_ending = is_ending
        self._turn = Turn(is_ending)
        # Mounts with files that the last pass did not read to their end.
        self._unfinished: set[str] = set()
        # What was counted of the lines of files, by mount.
        self._lines: dict[str, dict[str, tuple[int, int, int]]] = {}
        # Who there was when the view was last asked, and as of when.
        self._known: tuple[tuple[int, int], Roster] | None = None

    def once(
        self, seconds: float, report: Report | None = None, changed: set[str] | None = None
    ) -> Report | None:
        """Do one pass; None if somebody else was at it for so long.

        `changed` names the folders that something happened in; without it all are looked at. A pass takes in
        a bounded part of each file: `unfinished` of the report names the files that another pass must go on
        with.
        """
        found = report or Report()
        if not self._lock.acquire(seconds):
            return None
        try:
            self._pass(found, changed)
        finally:
            self._lock.release()
        return found

    def take_in(self, seconds: float, report: Report) -> bool:
        """Bring all that is in the files into the log; return False if that could not be begun in time.

        Nothing is written to files, and the view is not brought up to date.
        """
        if not self._lock.acquire(seconds):
            return False
        try:
            apply(self.core)
            self._turn = Turn(self._is_ending, FOREIGN_BYTES)
            self._take_in_all(self.mounts(), report)
        finally:
            self._lock.release()
        return True

    def mounts(self) -> list[MountPoint]:
        """Return the mounts that are in force."""
        self.core.view.current()
        roster = self._roster()
        if roster.settings != self._settings:
            self._mounts = mount_points(self.core.root.path, roster.mounts)
            self._settings = roster.settings
            self._read.clear()
            self._chronicles = {}
            for each in self._mounts:
                if each.mount.dialect == "vermas":
                    from palaver.sync.chronicle import EventFile

                    self._chronicles[each.name] = EventFile(each, self.core.log)
        return self._mounts

    def _roster(self) -> Roster:
        """Return who there is, as the view knows it that was asked for last."""
        view = self.core.view
        [(seq,)] = view.asked.execute("select seq from place")
        asked = (view.number, int(seq))
        if self._known is None or self._known[0] != asked:
            self._known = (asked, view.roster())
        return self._known[1]

    def _is_touched(self, each: MountPoint, changed: set[str] | None) -> bool:
        """Return True if something happened in a folder of a mount, or to a file that we replaced there."""
        if changed is None or each.name in self._unfinished:
            return True
        # Asking a mount for its folders loads its dialect: not for nothing.
        if not changed or changed & set(each.folders()):
            return bool(changed)
        return self.core.root.attic in changed and _has_replaced(self.core, each)

    def _pass(self, report: Report, changed: set[str] | None) -> None:
        core = self.core
        self._turn = Turn(self._is_ending)
        report.unfinished = set()
        try:
            self._apply(core)
        except BadConfig as bad:
            # The settings in force stay what they were, and so does what is done by them.
            report.trouble("config", "config.toml", str(bad))
        mounts = self.mounts()
        touched = [each for each in mounts if self._is_touched(each, changed)]
        is_news = self._take_in_all(touched, report)
        if not self._is_cut_short(report):
            is_news = self._serve(mounts, touched, report) or is_news
        self._unfinished = {mount for mount, _ in report.unfinished}
        if is_news and not self._is_cut_short(report):
            core.view.current()

    def _is_cut_short(self, report: Report) -> bool:
        """Return True if the process is to end amid a backlog: the next one reads on, and does the rest."""
        return bool(report.unfinished) and self._is_ending()

    def _serve(self, mounts: list[MountPoint], taken: list[MountPoint], report: Report) -> bool:
        """Write what is owed to the mounts; return True if one that had to be read before had news."""
        core = self.core
        taken = [*taken]
        is_news = False
        while True:
            # What follows from a line is said before anything is written, so that both go out together.
            db = core.view.current()
            if board.due(db, 1) and not self._is_cut_short(report):
                from palaver.bus.tasks.consequences import settle

                settle(core)
                db = core.view.current()
            debts = self._debts(mounts, db)
            # Nothing is written into a mount that was not read before: what we wrote last may stand there.
            touched = [each for each in mounts if each.name in debts and each not in taken]
            is_new_now = self._take_in_all(touched, report, debts)
            taken += touched
            is_news = is_news or is_new_now
            if not touched or (not is_new_now and all(each.narrowed() for each in debts.values())):
                break
        for each in mounts:
            if each.name in debts and not self._is_cut_short(report):
                self._write(each, debts[each.name], db, report)
        unfinished = {mount for mount, _ in report.unfinished}
        self._project([each for each in taken if each.name not in unfinished], report)
        return is_news

    def _debts(self, mounts: list[MountPoint], db: Query) -> dict[str, Owed]:
        """Return what the mounts are owed, by name, if it is anything."""
        owing = sources.waiting(db)
        roster = self._roster()
        debts: dict[str, Owed] = {}
        for each in mounts:
            chronicle = self._chronicles.get(each.name)
            if each.name in owing or chronicle is not None:
                debt = owed(self.core, db, each, roster, chronicle)
                if debt.files or debt.impossible or debt.carried or debt.lost:
                    debts[each.name] = debt
        return debts

    def _write(self, each: MountPoint, debt: Owed, db: Query, report: Report) -> None:
        delivery.give_up(self.core, each, debt, report)
        # What we wrote last may stand in the part of a file that is still to be read.
        unread = {file for mount, file in report.unfinished if mount == each.name}
        debt.leave_out(unread)
        may_mark = not (unread or each.barred(""))
        if (
            debt.read
            and CHRONICLE in debt.files
            and not (may_mark and _mark_read(self.core, db, each, report))
        ):
            # The events say that it was read; until the file says so too they wait.
            report.unsettled = True
            del debt.files[CHRONICLE]
        delivery.write(self.core, each, debt, report)

    def _project(self, mounts: list[MountPoint], report: Report) -> None:
        """Let files that are written as a whole say what the bus says, where they were read before."""
        for each in mounts:
            if not each.has_projections or each.barred(""):
                continue
            from palaver.sync.projections import is_needless, project

            if is_needless(self.core.view.asked, each):
                continue
            db = self.core.view.current()
            if not self.core.view.behind:
                project(self.core, db, each, self._roster(), report)

    def _take_in_all(
        self, mounts: list[MountPoint], report: Report, debts: dict[str, Owed] | None = None
    ) -> bool:
        """Take in what is new in mounts; tell whether that was more than what we had written there.

        What they are owed is looked up if that was not done just now. While we are at it nobody else writes
        for the bus, so what was owed then is all that can stand there as ours.
        """
        if not mounts:
            return False
        core = self.core
        for each in mounts:
            attic.tidy(core.root, each.path)
        db = core.view.current()
        roster = self._roster()
        if debts is None:
            debts = self._debts(mounts, db)
        echoes: list[Draft] = []
        intakes = [
            (
                Intake(core, db, each, roster, report, echoes, self._lines.setdefault(each.name, {})),
                debts.get(each.name, Owed()),
            )
            for each in mounts
        ]
        before = report.events
        intakes = [(intake, debt) for intake, debt in intakes if self._is_open(intake)]
        for intake, debt in intakes:
            # All of them first: what stands in one mount may be for somebody who lives in another.
            self._settle(intake, debt)
        for intake, debt in intakes:
            if _has_replaced(core, intake.mounted):
                from palaver.sync.intake import replaced_files

                replaced_files.recover(intake)
                self._take_in(intake, debt)
                replaced_files.drain(intake)
            else:
                self._take_in(intake, debt)
        is_news = report.events > before
        core.log.append(echoes)
        report.events += len(echoes)
        return is_news

    def _is_open(self, intake: Intake) -> bool:
        """Tell whether a mount can be looked into; say what of it cannot."""
        each = intake.mounted
        if barred := each.barred(""):
            self._unfit(intake, "", barred)
            return False
        for folder in dict.fromkeys(watched.folder for watched in each.watched()):
            if barred := each.barred(folder):
                self._unfit(intake, folder, barred)
        return True

    def _take_in(self, intake: Intake, debt: Owed) -> None:
        each, report = intake.mounted, intake.report
        for file, growth in each.files():
            shown = os.fsencode(file).decode("utf-8", "backslashreplace")
            stamp = _stamp(each.full(file))
            if stamp is not None and self._read.get((each.name, file)) == stamp and file not in debt.files:
                continue
            try:
                if self._is_read(intake, (file, shown), growth, debt) and stamp and not _just_now(stamp):
                    self._read[each.name, file] = stamp
            except FileNotFoundError:
                # It was taken away while we looked; what was in it and in the log stays.
                continue
            except Unfit as unfit:
                self._unfit(intake, shown, unfit)
            except (OSError, Refusal) as fault:
                report.trouble(each.name, shown, str(fault))
        if each.mount.dialect == "vermas":
            take_missing(intake)
        intake.settled(is_all=not any(mount == each.name for mount, _ in report.unfinished))

    def _is_read(self, intake: Intake, file: tuple[str, str], growth: Growth, debt: Owed) -> bool:
        """Take in a file, named by its path and as the log shows it; return True if nothing of it is left."""
        report, (inner, shown) = intake.report, file
        unsettled, report.unsettled = report.unsettled, False
        is_whole = take(intake, shown, intake.mounted.full(inner), growth, debt, self._turn)
        if not is_whole:
            report.unfinished.add((intake.mounted.name, shown))
        is_settled = not report.unsettled
        report.unsettled = report.unsettled or unsettled
        return is_whole and is_settled

    def _settle(self, intake: Intake, debt: Owed) -> None:
        """Let those live in a mount whom its config, its settings or its files name."""
        each = intake.mounted
        files = (file for file, growth in each.files() if growth is Growth.LOG)
        theirs = [file for file in files if file not in debt.files and not _is_ours(intake, file)]
        named = (*each.dialect.residents(each.mount, theirs), *each.agents)
        agents = [f"{each.prefix}/{agent}" if each.prefix else agent for agent in named]
        if all(_lives_in(each.name, intake.roster, agent) for agent in agents):
            return
        from palaver.sync.intake.drafting import Drafting

        batch = Batch()
        place = Place(mount=each.name, file="", gen=0)
        drafting = Drafting(each, place, intake.roster, intake.known, batch)
        for agent in agents:
            drafting.resident(agent)
        if batch.drafts:
            self.core.log.append(batch.drafts)
            intake.report.events += len(batch.drafts)

    def _unfit(self, intake: Intake, file: str, unfit: Unfit) -> None:
        """Say once that something is no file that we may read."""
        intake.report.trouble(intake.mounted.name, file, unfit.why)
        key = f"unfit:{intake.mounted.name}:{file}:{unfit.code}"
        if intake.db.execute("select 1 from key where actor = 'palaver' and key = ?", (key,)):
            return
        src: dict[str, object] = {"mount": intake.mounted.name, "file": file}
        data: dict[str, object] = {"code": unfit.code, "message": unfit.why, "fix": unfit.fix, "src": src}
        [(since,)] = intake.db.execute("select seq from place")
        self.core.log.append([draft("file.found", data, key=key)], since=int(since))
        intake.report.events += 1


def _lives_in(mount: str, roster: Roster, agent: str) -> bool:
    known = roster.agents.get(agent)
    return known is not None and mount in known.homes


def _has_replaced(core: Session, each: MountPoint) -> bool:
    """Return True if files of a mount were replaced a short time ago."""
    return any(True for _ in attic.entries(core.root, each.name, each.path))


def _mark_read(core: Session, db: Query, each: MountPoint, report: Report) -> bool:
    """Write the marks of reading; loaded when somebody has read something."""
    from palaver.sync.render.read_marks import mark_read

    try:
        return mark_read(core, db, each)
    except OSError as fault:
        report.trouble(each.name, "", fault.strerror or str(fault))
        return False


def _is_ours(intake: Intake, file: str) -> bool:
    """Tell whether all that stands in a file was written by us: then nobody lives there because of it."""
    source = intake.sources.get(file)
    return source is not None and 0 < source.ending <= source.ours


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _just_now(stamp: Stamp) -> bool:
    """Tell whether a file was written so recently that another write could have the same time."""
    import time

    return time.time_ns() - stamp[2] < 50_000_000
