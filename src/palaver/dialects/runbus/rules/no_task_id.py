"""RUN035 no-task-id: a message does not name its task.

Why: `taskId` belongs in every message and plan item: without it the message cannot be traced to its
work. Write `TASK-000` if there is no task.

Bad (MESSAGE-BUS.md):

    claude FACT (no taskId): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from functools import partial

from palaver.dialects.runbus.grammar import NO_TASK
from palaver.dialects.runbus.rule_entries import check_has_field

check = partial(check_has_field, field="task", key="taskId", form=f"TASK-..., or {NO_TASK}")
