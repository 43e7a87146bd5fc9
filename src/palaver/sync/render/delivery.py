"""Delivery: what is owed to files is written, once.

Renderings are appended in one write, and the next pass confirms them by reading. An inbox gets whole files.
"""

import os

from palaver.bus.session import Session
from palaver.files.atomic_replace import put, sync_folder
from palaver.model.dialect import Growth
from palaver.sync import foreign_file
from palaver.sync.drop_echoes import words_of
from palaver.sync.foreign_file import Unfit, open_to_append, read_tail
from palaver.sync.intake.echoes import Rendering, is_torn_tail
from palaver.sync.intake.file_events import FilePlace, draft, hashed
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render.debts import Debt
from palaver.sync.report import Report

# How much of the end of a file is looked at for a line of ours that broke off.
_TAIL_BYTES = 1 << 16


def give_up(core: Session, mounted: MountPoint, found: Debt, report: Report) -> None:
    """Record what cannot be written, once, so that it does not block the rest."""
    drafts = []
    for seq, why in (*found.impossible, *((seq, "") for seq in sorted(found.silent))):
        data: dict[str, object] = {"mount": mounted.name, "file": "", "messages": [], "done": [seq]}
        if why:
            data["why"] = why
            report.trouble(mounted.name, "", f"message {seq} cannot be written here: {why}")
        drafts.append(draft("file.echoed", data))
    if found.lost:
        report.trouble(mounted.name, "", f"{len(found.lost)} lines of replaced files cannot be copied")
        lost: dict[str, object] = {"mount": mounted.name, "file": "", "messages": [], "carried": found.lost}
        drafts.append(draft("file.echoed", lost))
    if drafts:
        core.log.append(drafts)
        report.events += len(drafts)


def write(core: Session, mounted: MountPoint, found: Debt, report: Report) -> None:
    """Write what is owed, file by file; what cannot be written now stays owed."""
    if found.files or found.late:
        # Nothing may have an effect that the next power cut would take back.
        core.log.sync()
    delivery = _Delivery(core, mounted, found, report)
    for file, known in (*found.late.items(), *found.files.items()):
        is_late = known is found.late.get(file)
        renderings = [
            each for each in known if is_late or each.seq not in found.silent or file == found.event_file
        ]
        if not renderings:
            continue
        try:
            if barred := mounted.barred(os.path.dirname(file)):
                raise barred
            if mounted.growth(file) is Growth.DROP:
                delivery.deliver(file, renderings)
            else:
                append(mounted.full(file), renderings, report)
        except Unfit as unfit:
            report.trouble(mounted.name, file, unfit.why)
        except OSError as fault:
            report.trouble(mounted.name, file, fault.strerror or str(fault))


def append(path: str, renderings: list[Rendering], report: Report) -> None:
    """Append renderings in one write; wait if somebody else is in the middle of a line."""
    fd, found = open_to_append(path)
    try:
        lead = b""
        if found.st_size:
            tail = read_tail(path, found.st_size, _TAIL_BYTES).rpartition(b"\n")[2]
            if tail and not foreign_file.is_quiet(found) and not is_torn_tail(tail, renderings):
                report.unsettled = True
                return
            lead = b"\n" if tail else b""
            # One that only lacks its newline is whole with that.
            renderings = [each for each in renderings if not tail or each.content != tail + lead]
        content = lead + b"".join(each.content for each in renderings)
        os.write(fd, content)
        report.written += len(renderings)
    finally:
        os.close(fd)


class _Delivery:
    """Drops messages into an inbox, each once: whoever watches it may take one away at any moment."""

    def __init__(self, core: Session, mounted: MountPoint, found: Debt, report: Report) -> None:
        self._core = core
        self._mounted = mounted
        self._owed = found
        self._report = report

    def deliver(self, file: str, renderings: list[Rendering]) -> None:
        """Drop what is owed to a file of an inbox: most often that is one message."""
        for each in renderings:
            self._one(file, each)

    def _one(self, file: str, rendering: Rendering) -> None:
        """Write a message beside its place and sync it; let the log say so; then move it.

        If it no longer lies beside, it was moved.
        """
        path = self._mounted.full(file)
        folder, _, name = path.rpartition("/")
        beside = f"{folder}/.msg.{hashed(name.encode())[:6]}{rendering.seq}"
        if (rendering.seq, file) not in self._owed.prepared:
            self._prepare(file, beside, rendering)
        try:
            os.rename(beside, path)
            sync_folder(folder)
            self._report.written += 1
        except FileNotFoundError:
            # It was moved before, and whoever moved it died before saying so.
            self._report.confirmed += 1
        found = self._owed.confirm(file, [rendering.seq])
        echoed: dict[str, object] = {"mount": self._mounted.name, "file": file, **found}
        self._core.log.append([draft("file.echoed", echoed)])
        self._report.events += 2

    def _prepare(self, file: str, beside: str, rendering: Rendering) -> None:
        mark = _lay_beside(beside, rendering.content)
        src = FilePlace(mount=self._mounted.name, file=file, gen=1, mark=mark).src(
            0, len(rendering.content), hashed(rendering.content)
        )
        src["words"] = words_of(rendering.content)
        src["seq"] = rendering.seq
        self._core.log.append([draft("file.prepared", {"messages": [rendering.seq]}, src)])


def _lay_beside(path: str, content: bytes) -> str:
    """Write a file whole and synced; return what it will be known by."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        # As open to others as its folder is, whatever our own umask says.
        os.fchmod(fd, os.stat(os.path.dirname(path)).st_mode & 0o666 or 0o600)
        put(fd, content)
        found = os.fstat(fd)
    finally:
        os.close(fd)
    sync_folder(os.path.dirname(path))
    return f"{found.st_ino}:{found.st_mtime_ns}"
