"""RUN035 no-task-id: a message does not name its task.

Why: `taskId` belongs in every message and plan item: without it the message cannot be traced to its
work. Write `TASK-000` if there is no task.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: FACT
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    ---

    The parser is ready.

    ---

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: FACT
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    The parser is ready.

    ---
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries
from palaver.dialects.runbus.grammar import NO_TASK
from palaver.dialects.shared.rule import CheckedFile, Violation, rule


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        if entry.front is not None and not entry.field("task"):
            way_out = f"write taskId: TASK-..., or {NO_TASK} for none"
            yield entry.violation("it has no taskId", way_out)


RULE: Final = rule(__doc__, _check)
