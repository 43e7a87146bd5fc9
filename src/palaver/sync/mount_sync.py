"""A bus in sync with its mounts: passes before every query and after every write."""

from collections.abc import Callable, Sequence
from errno import EROFS
from time import monotonic

from palaver.bus.session import Session
from palaver.bus.sync_port import SyncPort
from palaver.model.event import Event
from palaver.model.limits import CATCH_UP_SECONDS
from palaver.sync.report import Report
from palaver.views.files.quarantine import QuarantineItem


def note_read_only(session: Session, fault: OSError) -> None:
    """Note that files cannot be synced on a read-only disk, where the log can still be read; raise others."""
    if fault.errno != EROFS:
        raise fault
    session.view.note(f"the mounted files are not synced: {fault.strerror}")


class MountSync(SyncPort):
    """Keeps a bus in sync with the files of its mounts, if it has any."""

    def __init__(self, session: Session) -> None:
        """Take the bus."""
        self._session = session
        self._once: Callable[[float, None, set[str] | None], Report | None] | None = None
        # Whether the session proved an agent when `_once` was made: what it reads in files proves nothing.
        self._was_signed = False
        self.late = False
        self.unfinished = False

    def catch_up(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Do one pass, if there are mounts and no other process holds the lock for longer than this.

        If files hold more than a pass reads, do more passes, but begin none after this time.
        """
        self._pass(seconds, None)

    def write_on(self, seconds: float = CATCH_UP_SECONDS) -> None:
        """Write the outstanding renderings, and scan no other files."""
        self._pass(seconds, set())

    def _pass(self, seconds: float, changed: set[str] | None) -> None:
        if not self._session.roster_cache().mounts:
            return
        if self._once is None or self._was_signed != self._session.is_signed:
            # A bus without mounts loads none of it.
            from palaver.sync.passes import Sync

            self._once = Sync(self._session).once
            self._was_signed = self._session.is_signed
        deadline = monotonic() + seconds
        while True:
            try:
                report = self._once(seconds, None, changed)
            except OSError as fault:
                note_read_only(self._session, fault)
                return
            self.unfinished = bool(report and report.unfinished)
            self.late = report is None or self.unfinished
            if not self.unfinished or monotonic() >= deadline:
                return

    def secret_lines(self) -> list[str]:
        """Return the lines of mounted files that hold a secret now."""
        from palaver.sync.held_texts import find_secrets

        return [*map(str, find_secrets(self._session))] if self._session.roster_cache().mounts else []

    def settle(self) -> None:
        """Sync until every rendering is confirmed."""
        if self._session.roster_cache().mounts:
            from palaver.sync.sync_operations import sync

            sync(self._session)

    def lines_of(self, events: Sequence[Event], said: Sequence[str]) -> list[str]:
        """Return the lines of mounted files that say what events did, or hold one of these texts."""
        from palaver.sync.held_texts import places

        has_mounts = self._session.roster_cache().mounts
        return [*map(str, places(self._session, events, said))] if has_mounts else []

    def replaced_with(self, said: Sequence[str]) -> list[str]:
        """Return the replaced files that are still kept and hold one of these texts."""
        from palaver.sync.held_texts import replaced_with

        return [*replaced_with(self._session, said)] if self._session.roster_cache().mounts else []

    def rewrite_files(self, events: Sequence[Event]) -> list[str]:
        """Take the text of redacted events out of mounted files; return those that were rewritten."""
        if not self._session.roster_cache().mounts:
            return []
        from palaver.sync.render.redacted_lines import remove_replaced, rewrite_files

        rewritten: list[str] = []
        for event in events:
            if found := rewrite_files(self._session, event):
                rewritten += found
                # The log confirms what was written; until then the file is left alone.
                self.settle()
        remove_replaced(self._session)
        return [*dict.fromkeys(rewritten)]

    def retry(self, item: QuarantineItem) -> bool:
        """Try quarantined bytes of a file again; return True if all of them could be parsed."""
        from palaver.bus.identity import unvouched
        from palaver.sync.intake.quarantine_retry import retry

        session = unvouched(self._session)
        session.view.current()
        return retry(session, item)


def follow(session: Session) -> None:
    """Let a bus sync with its mounts by itself."""
    session.sync = MountSync(session)
