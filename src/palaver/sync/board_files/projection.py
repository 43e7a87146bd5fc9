"""Projection: the files that show the board are written again wherever they differ from it."""

import os

from palaver.bus.session import Session
from palaver.dialects import DIALECTS, spec
from palaver.model.board_files import Board, BoardFile, BoardTask
from palaver.model.dialect import Growth
from palaver.model.event import text
from palaver.sync.board_files.line_file import project_lines
from palaver.sync.board_files.timeline import append_moves
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.render.small_files import Placing
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import sources
from palaver.views.query import Query
from palaver.views.tasks import assignments, board


def project(core: Session, db: Query, mounted: MountPoint, roster: Roster, report: Report) -> None:
    """Write the files of a mount that differ from the board; the next pass tries again what fails."""
    shown = _board(db, mounted, roster)
    files = mounted.dialect.board_files
    try:
        for codec in files.codecs:
            if mounted.barred(codec.watched.folder):
                continue
            if codec.watched.growth is Growth.LOG:
                project_lines(core, db, mounted, codec, shown, report)
            else:
                _project_states(core, db, mounted, codec, shown, report)
        if files.timeline is not None:
            append_moves(core, db, mounted, files.timeline, shown, report)
    except OSError as fault:
        report.trouble(mounted.name, "", fault.strerror or str(fault))


def _board(db: Query, mounted: MountPoint, roster: Roster) -> Board:
    changed = board.changed(db)
    names = MountNames(mounted, roster)
    assigned: dict[str, str] = {}
    for each in assignments.assignments(db):
        if _looks_here(roster, mounted, each.agent):
            assigned.setdefault(names.shown(each.agent), each.line)
    cards = sorted(board.cards(db), key=lambda card: (card.task.opened, card.task.id))
    return Board(
        mount=mounted.mount,
        names=names,
        tasks={
            card.task.id: BoardTask(
                task=card.task,
                needs=tuple(card.needs),
                waits_for=tuple(card.waits_for),
                changed=changed.get(card.task.id, ""),
            )
            for card in cards
        },
        assignments=assigned,
    )


def _looks_here(roster: Roster, mounted: MountPoint, agent: str) -> bool:
    """Return True if an agent looks for its assignment in this mount, not in another one where it lives."""
    known = roster.agents.get(agent)
    homes = known.homes if known is not None else ()
    dialects = {home: text(roster.mounts.get(home, {}), "dialect") for home in homes}
    places = [
        home
        for home, name in dialects.items()
        if name in DIALECTS and spec(name).board_files.show_assignments
    ]
    return not places or mounted.name in places


def _project_states(  # noqa: PLR0917 - what a projection needs
    core: Session, db: Query, mounted: MountPoint, codec: BoardFile, shown: Board, report: Report
) -> None:
    """Write the small files of a codec: those that the board needs, and those that exist."""
    known = sources.sources(db, mounted.name)
    there = (
        file
        for file in known
        if mounted.dialect.board_files.codec(file) is codec and os.path.lexists(mounted.full(file))
    )
    files = list(dict.fromkeys([*codec.files(shown), *there]))
    if files and codec.watched.folder:
        mode = os.stat(mounted.path).st_mode & 0o777
        os.makedirs(mounted.full(codec.watched.folder), mode=mode, exist_ok=True)
    placing = Placing(core, mounted, report)
    for file in files:
        found = placing.standing(file, known.get(file))
        if found is not None and (fresh := codec.write(file, found[0], shown)) != found[0]:
            placing.put(file, fresh, found)
