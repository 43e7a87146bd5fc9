"""OFF108 claimed-twice: a task is claimed that another employee has already claimed.

Why: a worker reads all employee logs before it claims, and leaves a task alone that another has claimed. The
earlier claim wins; this one will get a REJECT. Checked only together with the manager's inbox, where the first
claim may have been rejected.

Bad (messages/employee-emp-b2.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`; messages/manager-inbox.log holds `[2026-02-11T09:00:00Z] [REPLY] To all: Begin.`):

    [2026-02-11T10:01:00Z] [CLAIM] task-004 | title: Home Page | by: emp-b2 | difficulty: 3 | deps-met: yes

Good (messages/employee-emp-b2.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`; messages/manager-inbox.log holds `[2026-02-11T10:00:30Z] [REJECT] task-004 claim by emp-a1 rejected: level too low.`):

    [2026-02-11T10:01:00Z] [CLAIM] task-004 | title: Home Page | by: emp-b2 | difficulty: 3 | deps-met: yes
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex
from palaver.dialects.shared.rule import CheckedFile, Violations

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    index = MessageIndex(file)
    if not index.has_inbox:
        return
    for each, tasks in index.moves("claim"):
        task = tasks.task(each.message.task)
        if task.holder not in ("", each.message.sender) and not task.is_done:
            what = f"task-{each.message.task} is already claimed by {task.holder}"
            yield each.violation(what, "read all employee logs, and claim another task")
