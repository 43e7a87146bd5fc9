"""OFF112 approval-without-claim: a task is approved for an employee that had not claimed it.

Why: workers are never assigned in advance; they claim. An approval without a claim goes to an employee that
does not wait for it. Checked only together with that employee's log.

Bad (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | I am here.`):

    [2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.

Good (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`):

    [2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    for each, worker in MessageIndex(file).without_earlier("claim", before="approve"):
        what = f"task-{each.message.task} is approved for {worker}, which has not claimed it"
        yield each.violation(what, "approve the claim of an employee that made one")
