"""RUN035 no-task-id: a message does not name its task.

Why: `taskId` belongs in every message and plan item: without it the message cannot be traced to its
work. Write `TASK-000` if there is no task. A TASK or a COMPLETE always has one: without it nothing is assigned,
and nothing is closed.

Bad (MESSAGE-BUS.md):

    claude FACT (no taskId): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from typing import Final

from palaver.dialects.runbus.grammar import NO_TASK
from palaver.dialects.runbus.rule_entries import check_has_field, entries
from palaver.dialects.shared.rule import CheckedFile, Violations

_NEED_A_TASK: Final = ("assign", "deliver")


def check(file: CheckedFile) -> Violations:
    yield from check_has_field(file, field="task", key="taskId", form=f"TASK-..., or {NO_TASK}")
    for entry in entries(file):
        is_named = entry.front is None or not entry.field("task") or entry.message.task
        if entry.message.act in _NEED_A_TASK and not is_named and not entry.is_translated:
            yield entry.violation(f"a {entry.kind} names no task, and does nothing", "write taskId: TASK-...")
