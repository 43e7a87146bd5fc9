"""RUN035 no-task-id: a message does not name its task.

Why: `taskId` belongs in every message and plan item: without it the message cannot be traced to its
work. Write `TASK-000` if there is no task.

Bad (MESSAGE-BUS.md):

    claude FACT (no taskId): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries, runbus_rule
from palaver.dialects.runbus.grammar import NO_TASK
from palaver.dialects.shared.rule import CheckedFile, Violation


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        if entry.front is not None and not entry.field("task"):
            way_out = f"write taskId: TASK-..., or {NO_TASK} for none"
            yield entry.violation("it has no taskId", way_out)


RULE: Final = runbus_rule(__doc__, _check)
