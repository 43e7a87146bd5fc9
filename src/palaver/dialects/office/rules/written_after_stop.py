"""OFF114 written-after-stop: an employee continues to write after the manager's STOP.

Why: after the closure notice no agent reads what workers write. (A worker may still confirm that it has left.)
An APPROVAL for the employee reopens the project for it.

Bad (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T12:00:00Z] [STOP] To all: The project is accepted.`):

    [2026-02-11T12:30:00Z] [INFO] by: emp-a1 | I polished the footer.

Good (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T12:00:00Z] [STOP] To all: The project is accepted.`):

    [2026-02-11T11:30:00Z] [INFO] by: emp-a1 | I polished the footer.
    [2026-02-11T12:01:00Z] [INFO] by: emp-a1 | [LEAVE] Good bye.
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.names import EVERYONE

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    index = MessageIndex(file)
    stops: dict[str, str] = {}
    # Employees with an APPROVAL since the last STOP to all.
    reopened: set[str] = set()
    for message, own in index.in_order():
        if message.sender == index.manager:
            if message.act == "shutdown":
                stops |= dict.fromkeys(message.to, message.at)
                reopened -= reopened if EVERYONE in message.to else {*message.to}
            elif message.act == "approve":
                reopened |= {*message.to}
        elif own is not None and message.act != "leave" and message.sender not in reopened:
            stop = stops.get(message.sender, stops.get(EVERYONE))
            if stop is not None:
                what = f"{message.sender} writes after the STOP of {stop}"
                yield own.violation(what, "end the employee, or reopen the project")
