"""Operations on the mounted files: sync with them, and show their sync status."""

import os
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palaver.bus.config.config_events import apply
from palaver.bus.operations.fields import Progress
from palaver.bus.operations.operation import inspects, operation
from palaver.bus.session import Session
from palaver.model.errors import LogLocked
from palaver.model.limits import CATCH_UP_SECONDS, LOCK_SECONDS, ROWS
from palaver.sync.accounts import Account, accounts
from palaver.sync.mount_sync import note_read_only
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.sync.passes import Sync
from palaver.sync.report import Report
from palaver.views.files import findings as found_in
from palaver.views.files import outstanding
from palaver.views.mail import inbox

#: Passes that may find something new before the operation ends; files are written to all the time.
_PASSES = 3
FindingRows = Annotated[int, Meta(description="maximum number of findings", ge=1, le=ROWS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStatus:
    """The mounts, the account of each file, what is still to be written, the findings, and held mail."""

    mounts: list[MountPoint]
    files: list[Account]
    outstanding: dict[str, int]
    findings: list[dict[str, object]]
    #: The ids of mail that no program takes, the newest first.
    held: list[str]
    behind: bool

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "mounts": [each.name for each in self.mounts],
            "files": [each.plain() for each in self.files],
            "outstanding": self.outstanding,
            "findings": self.findings,
            "held": self.held,
            "behind": self.behind,
        }


@operation(inspects)
def sync(session: Session, told: Progress = None) -> Report:
    """Sync with the mounted files until there is nothing left to do."""
    session.view.current()
    report = Report(told=told)
    syncing = Sync(session)
    passes, is_first = 0, True
    while passes < _PASSES:
        before = (report.events, report.written)
        # What later passes record was compared when it was read.
        if syncing.once(LOCK_SECONDS, report, is_thorough=is_first) is None:
            session.view.insist()
            raise LogLocked("cannot sync", "another process is syncing", "try again in a moment")
        is_first = False
        if before == (report.events, report.written) and not report.unfinished:
            break
        passes += not report.unfinished
    return report


@operation(inspects)
def sync_status(session: Session, *, findings: FindingRows = 10) -> SyncStatus:
    """Return the sync status of each mounted file."""
    apply(session)
    session.sync.catch_up()
    # An edit that kept the size of a file is noticed by comparing all of it.
    try:
        Sync(session).once(CATCH_UP_SECONDS, is_thorough=True)
    except OSError as fault:
        note_read_only(session, fault)
    mounts, files = accounts(session)
    db = session.view.current()
    return SyncStatus(
        mounts=mounts,
        files=files,
        outstanding=outstanding.waiting(db),
        findings=found_in.findings(db, findings),
        held=[message_id for _, message_id, _ in inbox.held(db)],
        behind=session.sync.late,
    )


def mounted_bytes(session: Session) -> int:
    """Return the size of all mounted files."""
    session.view.current()
    points = mount_points(session.root.path, session.view.roster().mounts)
    return sum(_size(each.full(file)) for each in points for file, _ in each.listing().files)


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
