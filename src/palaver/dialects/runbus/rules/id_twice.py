"""RUN033 id-twice: two messages have the same messageId.

Why: ids of the same second collide. A reference to the id is then ambiguous.

Bad (MESSAGE-BUS.md):

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
    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: FACT
    agent: claude-research-2
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-tests
    ---

    The tests are ready.

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
    ---
    messageId: MSG-20260126-101500-claude-a07
    type: FACT
    agent: claude-research-2
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-tests
    ---

    The tests are ready.

    ---
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violation, rule


def _check(file: CheckedFile) -> Iterator[Violation]:
    first: dict[str, int] = {}
    for each in file.messages():
        written, line = each.message.id, each.place.line
        if written and first.setdefault(written, line) != line:
            what = f"{written[:80]} is also the id of line {first[written]}"
            yield each.violation(what, "give it another random part")


RULE: Final = rule(__doc__, _check)
