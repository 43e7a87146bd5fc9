"""One pass: record what is new in every mount, then write what is outstanding. One process at a time."""

from collections.abc import Callable

from palaver.bus.config.config_events import apply
from palaver.bus.identity import unvouched
from palaver.bus.session import Session
from palaver.bus.tasks.consequences import settle
from palaver.log.lock import Lock
from palaver.model.errors import BadConfig
from palaver.model.event import Draft
from palaver.model.limits import FOREIGN_BYTES
from palaver.sync import replaced_files
from palaver.sync.board_files.projection import project
from palaver.sync.intake import scan
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.intake.read_quota import ReadQuota
from palaver.sync.intake.scan import Scan
from palaver.sync.mounts.mount_point import MountPoint, mount_points, unknown_dialects
from palaver.sync.render import delivery
from palaver.sync.render.debts import Debt, find_debt
from palaver.sync.render.event_feed import EventFeed
from palaver.sync.render.read_marks import mark_read
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import outstanding
from palaver.views.query import Query
from palaver.views.tasks import board


class Sync:
    """Keeps the mounts of one bus and its log in sync."""

    def __init__(
        self,
        core: Session,
        applied: Callable[[Session], object] = apply,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take the bus, what applies the config, and whether the process is asked to end."""
        if core.vouched:
            core = unvouched(core)
        self.core = core
        self._apply = applied
        self._lock = Lock(core.root.sync_lock)
        self._mounts: list[MountPoint] = []
        self._settings = ""
        self._scan = Scan()
        # The last event that the board files of a mount include, as far as this process wrote them.
        self._projected: dict[str, int] = {}
        self._event_feeds: dict[str, EventFeed] = {}
        self._is_ending = is_ending
        self._quota = ReadQuota(is_ending)
        # Mounts with files that the last pass did not read to their end.
        self._unfinished: set[str] = set()
        # Line numbers that earlier passes have counted, by mount.
        self._lines: dict[str, dict[str, tuple[int, int, int]]] = {}
        # The last roster, and the version of the view that it is from.
        self._known: tuple[tuple[int, int], Roster] | None = None

    def once(
        self, seconds: float, report: Report | None = None, changed: set[str] | None = None
    ) -> Report | None:
        """Do one pass; return None if another process held the lock for so long.

        `changed` names the folders in which something changed; without it all are scanned. A pass takes in a
        bounded part of each file: `unfinished` of the report names the files that the next pass goes on with.
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
        """Record all that is in the files; return False if that could not be begun in time.

        Nothing is written to files, and the view is not brought up to date.
        """
        if not self._lock.acquire(seconds):
            return False
        try:
            apply(self.core)
            self._quota = ReadQuota(self._is_ending, FOREIGN_BYTES)
            self._take_in_all(self._usable_mounts(report), report)
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
            self._scan = Scan()
            self._event_feeds = {}
            for each in self._mounts:
                if each.dialect.event_file is not None:
                    self._event_feeds[each.name] = EventFeed(each, each.dialect.event_file, self.core.log)
        return self._mounts

    def _usable_mounts(self, report: Report) -> list[MountPoint]:
        """Return the mounts that are in force, and report those that cannot be synced."""
        mounts = self.mounts()
        for name, dialect in unknown_dialects(self._roster().mounts).items():
            why = f"the mount is not synced: this version of palaver has no dialect {dialect!r}"
            report.trouble(name, "", why)
        return mounts

    def _roster(self) -> Roster:
        """Return the roster, reusing the last one if the view has not changed."""
        view = self.core.view
        asked = (view.number, self._seq())
        if self._known is None or self._known[0] != asked:
            self._known = (asked, view.roster())
        return self._known[1]

    def _is_touched(self, each: MountPoint, changed: set[str] | None) -> bool:
        """Return True if something happened in a folder of a mount, or to a file that we replaced there."""
        if changed is None or each.name in self._unfinished or self._shows_old_board(each):
            return True
        if changed & set(each.folders()):
            return True
        root = self.core.root
        return root.attic in changed and bool(replaced_files.entries(root, each.name, each.path))

    def _shows_old_board(self, each: MountPoint) -> bool:
        """Return True if the log has grown since this process wrote the board files of a mount."""
        projected = self._projected.get(each.name)
        return projected is not None and projected != self._seq()

    def _seq(self) -> int:
        [(seq,)] = self.core.view.execute("select seq from place")
        return int(seq)

    def _pass(self, report: Report, changed: set[str] | None) -> None:
        core = self.core
        self._quota = ReadQuota(self._is_ending)
        report.unfinished = set()
        try:
            self._apply(core)
        except BadConfig as bad:
            # The settings in force stay.
            report.trouble("config", "config.toml", str(bad))
        mounts = self._usable_mounts(report)
        touched = [each for each in mounts if self._is_touched(each, changed)]
        is_news = self._take_in_all(touched, report)
        if not self._is_cut_short(report):
            is_news = self._serve(mounts, touched, report) or is_news
        self._unfinished = {mount for mount, _ in report.unfinished}
        if is_news and not self._is_cut_short(report):
            core.view.current()

    def _is_cut_short(self, report: Report) -> bool:
        """Return True if the process must end during a backlog: the next process does the rest."""
        return bool(report.unfinished) and self._is_ending()

    def _serve(self, mounts: list[MountPoint], taken: list[MountPoint], report: Report) -> bool:
        """Write what mounts are owed; return True if one that had to be read first had news."""
        core = self.core
        taken = [*taken]
        is_news = False
        while True:
            # Consequences of a line are recorded first, so that both are written together.
            db = core.view.current()
            if board.due(db, 1) and not self._is_cut_short(report):
                settle(core)
                db = core.view.current()
            debts = self._debts(mounts, db)
            # A mount is read before it is written to: it may have what we wrote last.
            touched = [each for each in mounts if each.name in debts and each not in taken]
            is_new_now = self._take_in_all(touched, report, debts)
            taken += touched
            is_news = is_news or is_new_now
            if not touched or (not is_new_now and all(each.narrow() for each in debts.values())):
                break
        for each in mounts:
            if each.name in debts and not self._is_cut_short(report):
                self._write(each, debts[each.name], db, report)
        unfinished = {mount for mount, _ in report.unfinished}
        self._project([each for each in taken if each.name not in unfinished], report)
        return is_news

    def _debts(self, mounts: list[MountPoint], db: Query) -> dict[str, Debt]:
        """Return the debts of the mounts that are owed something, by name."""
        owing = outstanding.waiting(db)
        roster = self._roster()
        debts: dict[str, Debt] = {}
        for each in mounts:
            feed = self._event_feeds.get(each.name)
            if each.name in owing or feed is not None:
                debt = find_debt(self.core, db, each, roster, feed)
                if debt:
                    debts[each.name] = debt
        return debts

    def _write(self, each: MountPoint, debt: Debt, db: Query, report: Report) -> None:
        delivery.give_up(self.core, each, debt, report)
        # What we wrote last may be in the part of a file that is still to be read.
        unread = {file for mount, file in report.unfinished if mount == each.name}
        debt.leave_out(unread)
        may_mark = not (unread or each.barred(""))
        if (
            debt.is_read
            and debt.event_file in debt.files
            and not (may_mark and _mark_read(self.core, db, each, report))
        ):
            # The events wait until the file has the read marks too.
            report.unsettled = True
            del debt.files[debt.event_file]
        delivery.write(self.core, each, debt, report)

    def _project(self, mounts: list[MountPoint], report: Report) -> None:
        """Bring files that are written as a whole up to date, in mounts that were read before."""
        for each in mounts:
            if not each.has_board_files or each.barred(""):
                continue
            db = self.core.view.current()
            if not self.core.view.behind:
                self._projected[each.name] = self._seq()
                project(self.core, db, each, self._roster(), report)

    def _take_in_all(
        self, mounts: list[MountPoint], report: Report, debts: dict[str, Debt] | None = None
    ) -> bool:
        """Record what is new in mounts; return True if that was more than what the bus had written there.

        Their debts are looked up if they are not given. No other process writes for the bus meanwhile, so
        the debts are all that can be found as ours.
        """
        if not mounts:
            return False
        core = self.core
        for each in mounts:
            replaced_files.tidy(core.root, each.path)
        db = core.view.current()
        roster = self._roster()
        if debts is None:
            debts = self._debts(mounts, db)
        echoes: list[Draft] = []
        intakes = [
            (
                Intake(core, db, each, roster, report, echoes, self._lines.setdefault(each.name, {})),
                debts.get(each.name, Debt()),
            )
            for each in mounts
        ]
        before = report.events
        intakes = [(intake, debt) for intake, debt in intakes if scan.is_open(intake)]
        for intake, debt in intakes:
            # All of them first: a line in one mount may be for an agent of another.
            scan.register_residents(intake, debt)
        for intake, debt in intakes:
            self._scan.take_in(intake, debt, self._quota)
        is_news = report.events > before
        core.log.append(echoes)
        report.events += len(echoes)
        return is_news


def _mark_read(core: Session, db: Query, each: MountPoint, report: Report) -> bool:
    """Write the read marks; return True if the file has all of them."""
    try:
        return mark_read(core, db, each)
    except OSError as fault:
        report.trouble(each.name, "", fault.strerror or str(fault))
        return False
