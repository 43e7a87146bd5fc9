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

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.runbus.entries import entries, finding
from palaver.dialects.runbus.grammar import NO_TASK
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN035"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message without a taskId."""
    for entry in entries(source, parsed):
        if entry.front is not None and not entry.field("task"):
            way_out = f"write taskId: TASK-..., or {NO_TASK} for none"
            yield finding(CODE, source, entry.piece, "it has no taskId", way_out)


RULE: Final = Rule(code=CODE, name="no-task-id", manual=__doc__, check=check)
