"""Files that are written as a whole, so that they say what the bus says: which, for which mount.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os

from palaver.bus.session import Session
from palaver.dialects.vermas.grammar import ASSIGNMENTS, WORK_ORDERS
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import sources
from palaver.views.query import Query
from palaver.views.tasks import assignments, board


def project(core: Session, db: Query, mounted: MountPoint, roster: Roster, report: Report) -> None:
    """Write what of a mount disagrees with the bus; what cannot be written now is tried again."""
    try:
        if mounted.mount.dialect == "office":
            from palaver.sync.office import project_board

            project_board(core, db, mounted, roster, report)
        elif not mounted.barred(".work"):
            from palaver.sync.assigned import project_assignments
            from palaver.sync.projecting import project_orders

            project_orders(core, db, mounted, roster, report)
            project_assignments(core, db, mounted, roster, report)
    except OSError as fault:
        report.trouble(mounted.name, "", fault.strerror or str(fault))


def is_needless(db: Query, mounted: MountPoint) -> bool:
    """Tell whether there is nothing to write in a company: neither tasks nor assignments, here or there."""
    if mounted.mount.dialect == "office":
        return False
    return not (
        board.has_tasks(db)
        or os.path.lexists(mounted.full(WORK_ORDERS))
        or assignments.assignments(db)
        or any(file.startswith(ASSIGNMENTS) for file in sources.sources(db, mounted.name))
    )
