"""Files that are written as a whole, so that they say what the bus says: which, for which mount."""

from palaver.bus.core import Core
from palaver.sync.mounts import Mounted
from palaver.sync.report import Report
from palaver.views.asked import Asked
from palaver.views.roster import Roster


def project(core: Core, db: Asked, mounted: Mounted, roster: Roster, report: Report) -> None:
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
