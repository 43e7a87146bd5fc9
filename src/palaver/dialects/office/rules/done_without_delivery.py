"""OFF113 done-without-delivery: a task is marked Done before its worker delivered it.

Why: tasks that depend on this one become Ready, and other workers build on work that does not exist. Checked
only together with that employee's log.

Bad (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T11:00:00Z] [INFO] by: emp-a1 | Almost there.`):

    [2026-02-11T11:05:00Z] [DONE] task-004 marked Done. Delivered by emp-a1.

Good (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T11:00:00Z] [DELIVERY] task-004 | by: emp-a1 | files: home.html | criteria-met: all`):

    [2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.
    [2026-02-11T11:05:00Z] [DONE] task-004 marked Done. Delivered by emp-a1.
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    index = MessageIndex(file)
    for each, tasks in index.moves("accept"):
        task = tasks.task(each.message.task)
        for worker in each.message.to:
            # Without the worker's log, the delivery may exist.
            if index.has_log(worker) and not (task.is_delivered or task.is_done):
                what = f"task-{each.message.task} is marked Done, but {worker} has not delivered it"
                yield each.violation(what, "wait for the DELIVERY")
