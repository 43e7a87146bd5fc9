"""Files that are written as a whole, so that they say what the bus says: which, for which mount.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os

from palaver.bus.core import Core
from palaver.dialects.vermas.grammar import ASSIGNMENTS, WORK_ORDERS
from palaver.sync.mounts import Mounted
from palaver.sync.report import Report
from palaver.views import assignments, board, sources
from palaver.views.asked import Asked
from palaver.views.roster import Roster


def project(core: Core, db: Asked, mounted: Mounted, roster: Roster, report: Report) -> None:
    """Write what of a mount disagrees with the bus; what cannot be written now is tried again."""
    try:
        if mounted.mount.dialect == "office":
            from palaver.sync.office import project_board

            project_board(core, db, mounted, roster, report)
        elif not mounted.barred(".work"):
            _project_work(core, db, mounted, roster, report)
    except OSError as fault:
        report.trouble(mounted.name, "", fault.strerror or str(fault))


def _project_work(core: Core, db: Asked, mounted: Mounted, roster: Roster, report: Report) -> None:
    """Do it for a company; what that takes is loaded when there are tasks or assignments, here or there."""
    if board.has_tasks(db) or os.path.lexists(mounted.full(WORK_ORDERS)):
        from palaver.sync.projecting import project_orders

        project_orders(core, db, mounted, roster, report)
    files = sources.sources(db, mounted.name)
    if assignments.assignments(db) or any(file.startswith(ASSIGNMENTS) for file in files):
        from palaver.sync.assigned import project_assignments

        project_assignments(core, db, mounted, roster, report)
