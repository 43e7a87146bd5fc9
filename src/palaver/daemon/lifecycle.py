"""palaver up: a process that keeps a bus and its files in sync.

The kernel wakes it when a watched folder or the log changes; it does one pass, and sleeps. It also polls
every few seconds, in case a wake-up was lost. Any command could do what it does: if it dies, nothing is lost,
and the next process continues from the log.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Condition
from types import FrameType

from palaver.bus import trust
from palaver.bus.config.config_events import apply
from palaver.bus.root import find
from palaver.bus.session import Session
from palaver.daemon.background import LASTING, TEMPORARY
from palaver.daemon.folder_watch import Folders, sleep
from palaver.daemon.idle_clock import IdleClock
from palaver.dialects import conventions
from palaver.log.clock import new_id
from palaver.log.lock import Lock, describe
from palaver.model.errors import AlreadyUp, BadConfig, NoBus, NotYours, Refusal, UnsafeRoot, Untrusted
from palaver.model.event import Event
from palaver.model.limits import (
    COMMAND_SECONDS,
    CONFIG_REST_SECONDS,
    DAEMON_PAGE,
    LOCK_SECONDS,
    PACE_SECONDS,
    POLL_SECONDS,
    QUIET_POLL_SECONDS,
    SWITCH_SECONDS,
)
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.sync.intake.file_events import draft
from palaver.sync.passes import Sync
from palaver.sync.report import Report, place_of

_SYSTEM = "system"


class Daemon:
    """The daemon of one bus."""

    def __init__(
        self,
        session: Session,
        *,
        tell: Callable[[Event], None],
        note: Callable[[str], None],
        patrol: Callable[[], None],
        idle: IdleClock,
    ) -> None:
        """Take the bus, what shows events, what prints problems, what patrols, and when it ends by itself."""
        self.session = session
        self._idle = idle
        self._patrol = patrol
        self._tell = tell
        self._note = note
        self._lock = Lock(session.root.up_lock)
        self._sync = Sync(session, self._apply_when_rested, lambda: self._ending)
        self._mount_folders = Folders()
        self._bus_folders = Folders()
        self._covered: list[str] = []
        # The error of a config that could not be applied.
        self._unused = ""
        self._resting = False
        self._wake, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._ending = False
        # Whether the last pass left a part of a file to the next one; and whether it did not take place.
        self._is_behind = False
        self._has_failed = False
        self._seen = 0
        self._said: set[str] = set()
        # Passes that were begun and ended, for those who wait; and whether one takes in news of files.
        self._passes = Condition()
        self._begun = self._ended = 0
        self._is_taking_in = False
        #: Whether a command was run since the last pass began; and when that ended.
        self.has_commands = False
        self._rested = 0.0

    def run(self, started: Callable[[], None], commands: AbstractContextManager[object]) -> None:
        """Run until a signal or the idle clock ends it, or a new command would refuse the bus.

        Refuse if the bus has a daemon already.
        """
        if not self._lock.acquire(0):
            pid = self._lock.holder()
            who = describe(pid) if pid else "another process"
            raise AlreadyUp("this bus is up already", f"{who} runs it", "palaver down ends it")
        self._lock.leave(TEMPORARY if self._idle.is_ticking else LASTING)
        before = {each: signal.signal(each, self._end) for each in (signal.SIGTERM, signal.SIGINT)}
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        sys.setswitchinterval(SWITCH_SECONDS)
        try:
            self._seen = self.session.log.last_seq()
            self._apply(self.session)
            self.session.view.current()
            self._announce("palaver is up")
            started()
            # What is loaded by now stays. A look at all of it would hold up every command for 20 ms.
            gc.freeze()
            with commands:
                self._live()
            self._announce("palaver is down")
            if not self._is_behind:
                self._pass(None)
        finally:
            signal.set_wakeup_fd(-1)
            for each, handler in before.items():
                signal.signal(each, handler)
            self._mount_folders.close()
            self._bus_folders.close()
            self._lock.release()

    def catch_up(self, seconds: float) -> bool:
        """Wait until the log has all that is in the files now; return False if that takes too long."""
        is_news = self._mount_folders.has_news() or self._is_taking_in
        if not (is_news or self._is_behind or self._has_failed):
            return True
        return self.wait_for_pass(seconds)

    def wait_for_pass(self, seconds: float) -> bool:
        """Wait for a pass that begins now or later; return False if that takes too long, or it fails."""
        with self._passes:
            wanted = self._begun + 1
            os.write(self._waker, b"\0")
            return self._passes.wait_for(lambda: self._ended >= wanted, seconds) and not self._has_failed

    def _end(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._ending = True

    def _live(self) -> None:
        changed: set[str] | None = None
        while not (self._ending or self._idle.has_run_out()):
            self._begun += 1
            self.has_commands = False
            self._require_bus()
            seconds = self._pass(changed)
            self._rested = time.monotonic()
            with self._passes:
                self._is_taking_in = False
                self._ended = self._begun
                self._passes.notify_all()
            if changed is None:
                self._mount_folders.stale = True
            try:
                self._patrol()
                self._is_taking_in = is_new = self._cover()
            except Refusal as refused:
                seconds, is_new = self._fail(refused), False
            # Changes in a folder from before it was watched were not reported.
            changed = None if is_new else self._asleep(seconds)

    def _require_bus(self) -> None:
        """Refuse to go on if a new command would refuse the bus, or if another bus has taken its place."""
        root = self.session.root
        if not self._lock.is_in_place():
            why = f"{root.up_lock} was removed, as if the bus was"
            raise NoBus(f"{root.path} is no longer the same bus", why, "palaver up, if it is there")
        try:
            find(root.path)
        except (Untrusted, UnsafeRoot, NotYours):
            raise
        except Refusal as refused:
            # An editor that saves the config removes it for a moment.
            self._fail(refused)

    def _asleep(self, seconds: float) -> set[str] | None:
        """Sleep until something happens; return the folders that changed, None if all must be scanned."""
        mounts, bus = self._mount_folders, self._bus_folders
        if mounts.fd < 0 or mounts.blind or bus.fd < 0:
            seconds = min(seconds, QUIET_POLL_SECONDS)
        woken = sleep((mounts.fd, bus.fd, self._wake), seconds)
        if woken and self._wake not in woken:
            woken |= self._give_way()
        if self._wake in woken:
            os.read(self._wake, 1024)
        if mounts.fd in woken:
            self._idle.touch()
        # Set before the news is taken: a command that sees neither news nor a pass takes all as recorded.
        self._is_taking_in = True
        changed = mounts.changed()
        self._is_taking_in = changed != set()
        changed_bus = bus.changed()
        if not woken or mounts.blind or self._has_failed or changed is None or changed_bus is None:
            return None
        return changed | changed_bus

    def _give_way(self) -> set[int]:
        """Let commands go first, which share the processor with us; return what wakes us earlier.

        While commands keep coming, one pass does for all that they have written in the meantime.
        """
        if not self.has_commands:
            return set()
        until = max(time.monotonic() + COMMAND_SECONDS, self._rested + PACE_SECONDS)
        return sleep((self._wake,), until - time.monotonic())

    def _pass(self, changed: set[str] | None) -> float:
        """Do one pass; return how long to sleep at most until the next one."""
        report = Report()
        try:
            # What was edited while no daemon ran is noticed by the first pass.
            done = self._sync.once(LOCK_SECONDS, report, changed, is_thorough=self._begun == 1)
            self._has_failed = done is None
            for mount, file, words in (*report.notes, *report.troubles):
                self._say(f"{place_of(mount, file)}: {words}")
            self._show()
            self.session.keep_anchor()
        except Refusal as refused:
            return self._fail(refused)
        self._is_behind = bool(report.unfinished)
        if self._is_behind:
            return 0
        is_waiting = done is None or report.unsettled or self._resting
        return QUIET_POLL_SECONDS if is_waiting else POLL_SECONDS

    def _fail(self, refused: Refusal) -> float:
        """Print why something could not be done, and return how long to sleep: it may work then.

        The disk may be full, or too many files open; the daemon lives on for what still works.
        """
        self._say(str(refused))
        self._has_failed = True
        return QUIET_POLL_SECONDS

    def _say(self, words: str) -> None:
        """Print a problem, once."""
        if words not in self._said:
            self._said.add(words)
            self._note(words)

    def _show(self) -> None:
        while page := self.session.log.read(self._seen, DAEMON_PAGE):
            self._seen = page[-1].seq
            if any(event.actor != BUS for event in page):
                self._idle.touch()
            for event in page:
                self._tell(event)
            if self._ending:
                # The rest is in the log.
                return

    def _apply_when_rested(self, session: Session) -> None:
        """Apply the config once the program that writes it is done.

        An editor that saves in place truncates the file first, and an empty config has no mounts.
        """
        try:
            age = time.time() - os.stat(session.root.config).st_mtime
        except OSError:
            age = CONFIG_REST_SECONDS
        self._resting = 0 <= age < CONFIG_REST_SECONDS
        if not self._resting:
            self._apply(session)

    def _apply(self, session: Session) -> None:
        """Apply the config; if it cannot be read, the settings in force stay."""
        try:
            apply(session)
            self._unused = ""
        except BadConfig as refused:
            if str(refused) != self._unused:
                self._unused = str(refused)
                self._note(self._unused)

    def _cover(self) -> bool:
        """Watch the log, the config, and the folders of all mounts; return True if one of them is new."""
        root, mounts = self.session.root, self._mount_folders
        wanted = [root.attic]
        for each in self._sync.mounts():
            wanted += each.folders()
        if wanted == self._covered and not mounts.stale:
            return False
        self._covered = wanted
        # Before: until the next pass, nobody knows what is in a folder that is new.
        self._is_taking_in = True
        is_new = mounts.cover(wanted)
        is_new |= self._bus_folders.cover([root.log, root.path, trust.record_folder()])
        if mounts.fd < 0:
            self._say("the kernel has no more watches to give, so files are checked every half second")
            return False
        for path in sorted(mounts.blind):
            self._say(f"{path} cannot be watched, so it is checked every half second")
        return is_new

    def _announce(self, words: str) -> None:
        """Announce start and stop in mounts whose dialect does so: in a line of the system."""
        drafts = []
        for name, settings in self.session.view.roster().mounts.items():
            if conventions(settings).announces_programs:
                said = Message(
                    sender=_SYSTEM, to=[f"@{name}"], body=f"{words} (process {os.getpid()})", id=new_id("msg")
                )
                drafts.append(draft("mail.sent", said.fields()))
        if drafts:
            self.session.log.append(drafts)
