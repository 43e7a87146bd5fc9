"""OFF107 dependencies-not-met: a task is claimed before its dependencies are done.

Why: the template says `deps-met: yes`; a task can be claimed only when all its dependencies are Done. The
manager will have to reject this one.

Bad (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: no

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes
"""

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.masking.masks import clip


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        met = str(each.message.meta.get("deps-met", "yes"))
        if each.message.act == "claim" and met != "yes":
            what = f"task-{each.message.task} is claimed with deps-met: {clip(met, 40)!r}"
            yield each.violation(what, "claim a task whose dependencies are done")
