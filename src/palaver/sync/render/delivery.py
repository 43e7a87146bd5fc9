"""Delivery: what is owed to files is written, once.

Renderings are appended in one write, and the next pass confirms them by reading. An inbox gets whole files.
"""

import os
from dataclasses import dataclass
from itertools import repeat

from palaver.bus.session import Session
from palaver.files.atomic_replace import put, sync_folder
from palaver.model.limits import LINE_BYTES
from palaver.model.mounted_files import Growth
from palaver.model.plain import numbered
from palaver.model.spec import Appending
from palaver.sync import foreign_file
from palaver.sync.foreign_file import Unfit, open_to_append
from palaver.sync.intake.echoes import Rendering
from palaver.sync.intake.file_events import FilePlace, draft, hashed, words_of
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render.debts import Debt
from palaver.sync.report import Report

# How much of the end of a file is looked at for an unfinished message: as much as a text may have.
_TAIL_BYTES = LINE_BYTES


@dataclass(frozen=True, slots=True)
class Delivery:
    """Writes what one mount is owed."""

    session: Session
    mounted: MountPoint
    debt: Debt
    report: Report

    def settle(self) -> None:
        """Write what is owed; what cannot be written now stays owed."""
        debt, report = self.debt, self.report
        if debt.impossible or debt.silent or debt.lost:
            self._give_up()
        # What we wrote last may be in the part of a file that is still to be read.
        waiting = {file for mount, file in report.unfinished if mount == self.mounted.name}
        # Nothing may have an effect that the next power cut would take back.
        self.session.log.sync()
        for file, late in debt.late.items():
            if file not in waiting:
                self._write(file, late)
        for file, renderings in debt.files.items():
            if debt.silent and file != debt.event_file:
                renderings = [each for each in renderings if each.seq not in debt.silent]
            if file not in waiting:
                self._write(file, renderings)

    def _give_up(self) -> None:
        """Record what cannot be written, once, so that it does not block the rest."""
        debt, name = self.debt, self.mounted.name
        head: dict[str, object] = {"mount": name, "file": "", "messages": []}
        drafts = []
        for seq, why in (*debt.impossible, *zip(sorted(debt.silent), repeat(""))):
            if why:
                self.report.trouble(name, "", f"message {seq} cannot be written here: {why}")
            drafts.append(draft("file.echoed", {**head, "done": [seq]} | ({"why": why} if why else {})))
        if debt.lost:
            self.report.trouble(
                name, "", f"could not copy {numbered(len(debt.lost), 'line')} of replaced files"
            )
            drafts.append(draft("file.echoed", {**head, "carried": debt.lost}))
        self.session.log.append(drafts)
        self.report.events += len(drafts)

    def _write(self, file: str, renderings: list[Rendering]) -> None:
        if not renderings:
            return
        try:
            if barred := self.mounted.barred(os.path.dirname(file)):
                raise barred
            if self.mounted.growth(file) is not Growth.DROP:
                append(self.mounted.full(file), renderings, self.mounted.dialect.appending, self.report)
                return
            os.makedirs(os.path.dirname(self.mounted.full(file)), exist_ok=True)
            for each in renderings:
                self._drop(file, each)
        except (Unfit, OSError) as fault:
            self.report.trouble(self.mounted.name, file, fault)

    def _drop(self, file: str, rendering: Rendering) -> None:
        """Drop a message into an inbox, once: the program that watches it may take it away at any moment.

        Write it beside its place and sync it; let the log say so; then move it. If it is not beside any more,
        it was moved.
        """
        session, mount, seq, content = self.session, self.mounted.name, rendering.seq, rendering.content
        path = self.mounted.full(file)
        folder, _, name = path.rpartition("/")
        beside = f"{folder}/.msg.{hashed(name.encode())[:6]}{seq}"
        if (seq, file) not in self.debt.prepared:
            place = FilePlace(mount=mount, file=file, gen=1, mark=_lay_beside(beside, content))
            src = place.src(0, len(content), hashed(content)) | {"words": words_of(content), "seq": seq}
            session.log.append([draft("file.prepared", {"messages": [seq]}, src)])
        try:
            os.rename(beside, path)
            sync_folder(folder)
            self.report.written += 1
        except FileNotFoundError:
            # It was moved before, by a process that died before saying so.
            self.report.confirmed += 1
        found = self.debt.confirm(file, [seq])
        session.log.append([draft("file.echoed", {"mount": mount, "file": file, **found})])
        self.report.events += 2


def append(path: str, renderings: list[Rendering], appending: Appending, report: Report) -> None:
    """Append renderings in one write; wait while somebody else is in the middle of a message."""
    fd, found = open_to_append(path)
    try:
        tail = os.pread(fd, _TAIL_BYTES, max(0, found.st_size - _TAIL_BYTES))
        lead = b"" if tail else appending.header
        if unfinished := appending.unfinished(tail):
            is_ours = any(each.content.startswith(unfinished.content) for each in renderings)
            if not is_ours and not foreign_file.is_quiet(found):
                report.unsettled = True
                return
            lead = unfinished.completion
            # One that only lacks its newline is whole with that.
            whole = unfinished.content + lead
            renderings = [each for each in renderings if each.content != whole]
        separator = appending.separator
        if renderings and (tail or lead) and not (tail[-4:] + lead).endswith(b"\n" + separator):
            lead += separator
        os.write(fd, lead + separator.join([each.content for each in renderings]))
        report.written += len(renderings)
    finally:
        os.close(fd)


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
