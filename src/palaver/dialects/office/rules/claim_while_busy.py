"""OFF109 claim-while-busy: a task is claimed by an employee that has another one in progress.

Why: one task at a time. An employee with two tasks finishes neither, and blocks the second for others. Checked
only together with the manager's inbox, where the first one was approved.

Bad (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T10:00:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.`):

    [2026-02-11T10:30:00Z] [CLAIM] task-005 | title: Footer | by: emp-a1 | difficulty: 1 | deps-met: yes

Good (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T10:00:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.`):

    [2026-02-11T10:20:00Z] [DELIVERY] task-004 | by: emp-a1 | files: home.html | criteria-met: all
    [2026-02-11T10:30:00Z] [CLAIM] task-005 | title: Footer | by: emp-a1 | difficulty: 1 | deps-met: yes
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    for each, tasks in MessageIndex(file).moves("claim"):
        message = each.message
        if held := tasks.other_in_progress(message.sender, message.task):
            what = f"task-{message.task} is claimed while task-{held} is in progress"
            yield each.violation(what, f"deliver task-{held} first")
