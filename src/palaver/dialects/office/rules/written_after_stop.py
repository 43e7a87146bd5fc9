"""OFF114 written-after-stop: an employee continues to write after the manager's STOP.

Why: after the closure notice no agent reads what workers write. (A worker may still confirm that it has left.)

Bad (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T12:00:00Z] [STOP] To all: The project is accepted.`):

    [2026-02-11T12:30:00Z] [INFO] by: emp-a1 | I polished the footer.

Good (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T12:00:00Z] [STOP] To all: The project is accepted.`):

    [2026-02-11T11:30:00Z] [INFO] by: emp-a1 | I polished the footer.
    [2026-02-11T12:01:00Z] [INFO] by: emp-a1 | [LEAVE] Good bye.
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex, moment
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    ledger = MessageIndex(file)
    for each in ledger.own:
        message = each.message
        if not message.at or message.act == "leave" or message.sender == ledger.manager:
            continue
        stops = ledger.said("shutdown", by=ledger.manager, to=message.sender)
        if stop := next((stop for stop in stops if moment(stop.at) < moment(message.at)), None):
            what = f"{message.sender} writes after the STOP of {stop.at}"
            yield each.violation(what, "end the employee, or reopen the project")
