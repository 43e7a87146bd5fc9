"""OFF110 claim-of-done-task: a task is claimed after the manager has marked it Done.

Why: the claimer read a stale board, and the work would be done twice. The manager answers such a
claim with a REDIRECT.

Bad (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T09:00:00Z] [DONE] task-004 marked Done. Delivered by emp-b2.`):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes

Good (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T09:00:00Z] [DONE] task-003 marked Done. Delivered by emp-b2.`):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    for each, tasks in MessageIndex(file).moves("claim"):
        if tasks.task(each.message.task).is_done:
            what = f"task-{each.message.task} was marked Done before it was claimed"
            yield each.violation(what, "read the board again, and claim a task that is Ready")
