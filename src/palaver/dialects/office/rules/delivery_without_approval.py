"""OFF111 delivery-without-approval: a task is delivered that was never approved.

Why: a worker starts after the APPROVAL and not before; work without one may have been assigned to
another worker, and counts as a violation. Checked only together with the manager's inbox.

Bad (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T10:05:00Z] [REPLY] To emp-a1: Wait.`):

    [2026-02-11T11:00:00Z] [DELIVERY] task-004 | by: emp-a1 | files: home.html | criteria-met: all

Good (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.`):

    [2026-02-11T11:00:00Z] [DELIVERY] task-004 | by: emp-a1 | files: home.html | criteria-met: all
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    index = MessageIndex(file)
    if not index.has_inbox:
        return
    for each, tasks in index.moves("deliver"):
        message, task = each.message, tasks.task(each.message.task)
        if task.holder != message.sender or not (task.is_working or task.is_delivered or task.is_done):
            what = f"task-{message.task} is delivered, but is not approved for {message.sender}"
            yield each.violation(what, "claim it, and wait for the APPROVAL in manager-inbox.log")
