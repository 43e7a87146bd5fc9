"""A timeline: a file that a line is appended to for every move since the mount was made."""

import os
from typing import Final

from palaver.bus.session import Session
from palaver.model.board_files import Board, BoardMove, Timeline
from palaver.sync import foreign_file
from palaver.sync.foreign_file import Unfit, open_to_append
from palaver.sync.intake.file_events import draft
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.report import Report
from palaver.views.files import outstanding
from palaver.views.query import Query
from palaver.views.tasks import board

# How much of the end of the file is searched for lines that were appended already.
_TAIL_BYTES: Final = 1 << 18


def append_moves(  # noqa: PLR0917 - what a projection needs
    core: Session, db: Query, mounted: MountPoint, timeline: Timeline, shown: Board, report: Report
) -> None:
    """Append the moves that the file does not have; a line that is there already is not appended again."""
    moves = board.since(db, outstanding.shown(db, mounted.name))
    if not moves:
        return
    core.log.sync()
    try:
        fd, found = open_to_append(mounted.full(timeline.file))
    except Unfit as unfit:
        report.trouble(mounted.name, timeline.file, unfit.why)
        return
    try:
        tail = os.pread(fd, _TAIL_BYTES, max(0, found.st_size - _TAIL_BYTES))
        is_torn = bool(tail) and not tail.endswith(b"\n")
        if is_torn and not foreign_file.is_quiet(found):
            report.unsettled = True
            return
        present = set(tail.splitlines(keepends=True))
        lines = [timeline.line(_move(each), shown) for each in moves]
        fresh = b"".join(line for line in lines if line not in present)
        if fresh:
            os.write(fd, (b"\n" if is_torn else b"") + fresh)
            os.fsync(fd)
            report.written += 1
    finally:
        os.close(fd)
    data: dict[str, object] = {"mount": mounted.name, "file": timeline.file, "messages": []}
    core.log.append([draft("file.echoed", {**data, "through": moves[-1].seq})])
    report.events += 1


def _move(tried: board.MoveAttempt) -> BoardMove:
    return BoardMove(
        at=tried.at, actor=tried.actor, act=tried.act, task=tried.task, why=tried.why, gist=tried.gist
    )
