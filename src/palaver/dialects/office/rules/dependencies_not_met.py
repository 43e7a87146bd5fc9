"""OFF107 dependencies-not-met: a task is claimed before its dependencies are done.

Why: the template says `deps-met: yes`; a task can be claimed only when all its dependencies are Done. The
manager will have to reject this one.

Bad (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: no

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.located import located_messages
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "OFF107"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such claim."""
    del together
    for each in located_messages(source.path, parsed):
        message = each.message
        if message.act == "claim" and message.meta.get("deps-met", "yes") != "yes":
            yield each.finding(
                CODE,
                f"task-{message.task} is claimed with deps-met: {str(message.meta['deps-met'])[:40]!a}",
                "claim a task whose dependencies are done",
            )


RULE: Final = Rule(code=CODE, name="dependencies-not-met", manual=__doc__, check=check)
