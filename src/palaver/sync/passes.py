"""One pass: record what is new in every mount, then write what is outstanding. One process at a time."""

from collections.abc import Callable

from palaver.bus.config.config_events import apply
from palaver.bus.identity import unvouched
from palaver.bus.session import Session, draft
from palaver.bus.tasks.consequences import settle
from palaver.bus.view import View
from palaver.log.lock import Lock
from palaver.model.errors import BadConfig
from palaver.model.event import text
from palaver.model.limits import FOREIGN_BYTES
from palaver.model.names import BUS
from palaver.sync import replaced_files
from palaver.sync.board_files.projection import board_state, project
from palaver.sync.foreign_file import Unfit
from palaver.sync.intake.mount_intake import MountIntake, PassState, ReadQuota
from palaver.sync.intake.scan import Scan, register_residents, report_unfit
from palaver.sync.mounts.mount_point import UNSETTLED, MountPoint, mount_points, unknown_dialects
from palaver.sync.render.debts import Debt, find_debt
from palaver.sync.render.delivery import Delivery
from palaver.sync.render.event_feed import EventFeed
from palaver.sync.render.projected_logs import project_logs
from palaver.sync.report import Report
from palaver.views.agents.policy import Policy
from palaver.views.files import outstanding
from palaver.views.tasks import board


class ViewBehind(Exception):
    """Raised if the view cannot be brought up to date: what is known of the files would be out of date."""


class Sync:
    """Keeps the mounts of one bus and its log in sync."""

    def __init__(
        self,
        session: Session,
        applied: Callable[[Session], object] = apply,
        is_ending: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take the bus, what applies the config, and whether the process is asked to end."""
        self.session = unvouched(session) if session.is_signed else session
        self._apply = applied
        self._is_ending = is_ending
        self._lock = Lock(session.root.sync_lock)
        self._settings = ""
        self._mounts: list[MountPoint] = []
        self._event_feeds: dict[str, EventFeed] = {}
        self._scan = Scan()
        # The state of the board that the files of a mount show, as far as this process wrote them; 0 if they
        # have changed since. And the state of the board as of an event.
        self._projected: dict[str, int] = {}
        self._board = (0, 0)
        # Mounts with files that the last pass did not read to their end.
        self._unfinished: set[str] = set()

    def once(
        self,
        seconds: float,
        report: Report | None = None,
        changed: set[str] | None = None,
        *,
        is_thorough: bool = False,
    ) -> Report | None:
        """Do one pass; return None if another process held the lock, or that of the view, for so long.

        A thorough pass compares all recorded bytes with the log, so that it notices any edit.
        `changed` names the folders in which something changed; without it all are scanned. A pass takes in a
        bounded part of each file: `unfinished` of the report names the files that the next pass goes on with.
        """
        report = report or Report()
        if not self._lock.acquire(seconds):
            return None
        try:
            report.unfinished = set()
            mounts = self._usable_mounts(report)
            touched = {each.name for each in mounts if self._is_touched(each, changed)}
            read, debts, is_news = self._read(mounts, touched, report, is_thorough=is_thorough)
            self._unfinished = {mount for mount, _ in report.unfinished}
            self._put_right([each for each in mounts if each.name in read - self._unfinished], report)
            self._write(mounts, debts, report)
            if not self._is_cut_short(report):
                self._project([each for each in mounts if each.name in read - self._unfinished], report)
                if is_news:
                    self.session.view.current()
        except ViewBehind:
            return None
        finally:
            self._lock.release()
        return report

    def take_in(self, seconds: float, report: Report) -> bool:
        """Record all that is in the files; return False if that could not be begun in time.

        Nothing is written to files, and the view is not brought up to date.
        """
        if not self._lock.acquire(seconds):
            return False
        try:
            mounts = self._usable_mounts(report)
            quota = ReadQuota(self._is_ending, FOREIGN_BYTES)
            self._take_in_all(mounts, self._debts(mounts), report, quota)
        except ViewBehind:
            return False
        finally:
            self._lock.release()
        return True

    def mounts(self) -> list[MountPoint]:
        """Return the mounts that are in force."""
        roster = self.session.view.current().roster()
        if roster.settings != self._settings:
            self._mounts = mount_points(self.session.root.path, roster.mounts)
            self._settings = roster.settings
            self._scan = Scan()
            self._event_feeds = {
                each.name: EventFeed(each, each.dialect.event_file, self.session.log)
                for each in self._mounts
                if each.dialect.event_file is not None
            }
        return self._mounts

    def _usable_mounts(self, report: Report) -> list[MountPoint]:
        """Apply the config; return the mounts that are in force, and report those that cannot be synced."""
        # What was read of a file is known by its place: the last record must be in the view.
        self.session.log.finish_record()
        try:
            self._apply(self.session)
        except BadConfig as bad:
            # The settings in force stay.
            report.trouble("config", "config.toml", bad)
        mounts = self.mounts()
        self._current()
        if [each for each in mounts if self._follow_hints(each, report)]:
            mounts = self.mounts()
            self._current()
        settings = self.session.view.roster().mounts
        for name, dialect in unknown_dialects(settings).items() if len(mounts) < len(settings) else ():
            why = f"the mount is not synced: this version of palaver has no dialect {dialect!r}"
            report.trouble(name, "", why)
        return mounts

    def _follow_hints(self, each: MountPoint, report: Report) -> bool:
        """Set what a file of a mount says about it, such as its lead; return True if that has changed.

        A lead by default that has done nothing retires when the file names another.
        """
        try:
            hints = each.changed_hints()
        except Unfit as unfit:
            if unfit.code == UNSETTLED:
                report.unsettled = True
                return False
            self._report_hints(each, report, unfit)
            return False
        if not hints:
            return False
        from palaver.bus.config.config_store import edit_mount, read

        team, known = each.dialect.conventions, self.session.view.roster()
        edit_mount(self.session, each.name, {**read(self.session.root)[1].mounts[each.name], **hints})
        lead = known.agents.get(team.lead(known.mounts[each.name]))
        named = team.lead(self.session.view.current().roster().mounts[each.name])
        if lead and lead.id != named and not lead.sent and not board.cards(self.session.view, owner=lead.id):
            self.session.log.append([draft("agent.retired", BUS, {"agent": lead.id})])
        return True

    def _report_hints(self, each: MountPoint, report: Report, unfit: Unfit) -> None:
        """Report once that the file with the settings of a mount is wrong, to its lead or the person."""
        file = each.dialect.detection.hints[0] if each.dialect.detection.hints else ""
        roster = self.session.view.roster()
        lead = Policy(roster).caretaker(each.name)
        # The lead that such a file should have named may not be known yet.
        told = lead if lead in roster.agents else text(roster.config, "person").lower()
        report_unfit(self.session, report, each.name, file, unfit, told=told)

    def _current(self) -> View:
        """Return the view, which holds all of the log: it knows what was read of each file, and written."""
        view = self.session.view.current()
        if view.behind:
            raise ViewBehind
        return view

    def _is_touched(self, each: MountPoint, changed: set[str] | None) -> bool:
        """Return True if a mount must be read.

        Something happened in one of its folders or to a file that we replaced there, a part of a file is left
        from the last pass, or the board has changed since this process wrote the files that show it.
        """
        if changed is None or each.name in self._unfinished:
            return True
        if each.name in self._projected and self._projected[each.name] != self._board_state():
            return True
        if not changed.isdisjoint(each.folders()):
            return True
        root = self.session.root
        return root.attic in changed and bool(replaced_files.entries(root, each.name, each.path))

    def _is_cut_short(self, report: Report) -> bool:
        """Return True if the process must end during a backlog: the next process does the rest."""
        return bool(report.unfinished) and self._is_ending()

    def _read(
        self, mounts: list[MountPoint], touched: set[str], report: Report, *, is_thorough: bool
    ) -> tuple[set[str], dict[str, Debt], bool]:
        """Read the mounts that changed, and those that are owed something: they may have what we wrote last.

        Return the mounts that were read, what is still owed, and whether anything new was found.
        """
        taken: set[str] = set()
        quota = ReadQuota(self._is_ending)
        is_news = False
        while True:
            if board.due(self._current(), 1):
                # Consequences of a line are recorded first, so that both are written together.
                settle(self.session)
                self._current()
            debts = self._debts(mounts)
            wanted = (touched | debts.keys()) - taken
            unread = [each for each in mounts if each.name in wanted]
            is_new_now = self._take_in_all(unread, debts, report, quota, is_thorough=is_thorough)
            taken |= wanted
            is_news = is_news or is_new_now
            if not unread or self._is_cut_short(report):
                break
            if not is_new_now and all(each.narrow() for each in debts.values()):
                break
        return taken, debts, is_news

    def _debts(self, mounts: list[MountPoint]) -> dict[str, Debt]:
        """Return the debts of the mounts that are owed something, by name."""
        owing = outstanding.waiting(self.session.view).keys() | outstanding.late_mounts(self.session.view)
        debts: dict[str, Debt] = {}
        for each in mounts:
            feed = self._event_feeds.get(each.name)
            if each.name in owing or feed is not None:
                debt = find_debt(self.session, each, feed)
                if debt:
                    debts[each.name] = debt
        return debts

    def _take_in_all(
        self,
        mounts: list[MountPoint],
        debts: dict[str, Debt],
        report: Report,
        quota: ReadQuota,
        *,
        is_thorough: bool = False,
    ) -> bool:
        """Record what is new in mounts; return True if that was more than what the bus had written there.

        No other process writes for the bus meanwhile, so the debts are all that can be found as ours.
        """
        if not mounts:
            return False
        before, roster = report.events, self.session.view.roster().copy()
        state = PassState(
            session=self.session, roster=roster, report=report, quota=quota, is_thorough=is_thorough
        )
        intakes: list[MountIntake] = []
        for each in mounts:
            intake = self._scan.begin(state, each, debts.get(each.name) or Debt())
            if intake is not None:
                intakes.append(intake)
                if each.name in self._projected and self._scan.has_board_news(intake):
                    self._projected[each.name] = 0
        for intake in intakes:
            # All of them first: a line in one mount may be for an agent of another.
            register_residents(intake)
        for intake in intakes:
            self._scan.take_in(intake)
        is_news = report.events > before
        self.session.log.append(state.echoes)
        report.events += len(state.echoes)
        return is_news

    def _write(self, mounts: list[MountPoint], debts: dict[str, Debt], report: Report) -> None:
        for each in mounts:
            if each.name in debts and not self._is_cut_short(report):
                Delivery(self.session, each, debts[each.name], report).settle()

    def _put_right(self, mounts: list[MountPoint], report: Report) -> None:
        """Put right the logs that are projections, before anything is appended to them."""
        for each in mounts:
            has_logs = each.dialect.mail_file or each.dialect.event_file
            if has_logs and not each.barred() and not self.session.view.current().behind:
                project_logs(self.session, each, report)

    def _project(self, mounts: list[MountPoint], report: Report) -> None:
        """Bring files that are written as a whole up to date, in mounts that were read before."""
        for each in mounts:
            if not each.has_board_files or self._projected.get(each.name) == self._board_state():
                continue
            if not each.barred():
                view = self.session.view.current()
                state = self._board_state()
                is_done = not view.behind and project(self.session, each, report)
                self._projected[each.name] = state if is_done else 0

    def _board_state(self) -> int:
        """Return the state of the board as of the last event of the view."""
        seq = self.session.view.seq
        if self._board[0] != seq:
            self._board = (seq, board_state(self.session.view))
        return self._board[1]
