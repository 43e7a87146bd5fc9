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

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.runbus.entries import entries, finding
from palaver.model.dialect import Parsed, Piece, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN033"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message whose id was used before."""
    first: dict[str, Piece] = {}
    for entry in entries(source, parsed):
        written = entry.message.id
        before = first.setdefault(written, entry.piece)
        if written and before is not entry.piece:
            said = f"{written[:80]} is also the id of line {before.line}"
            yield finding(CODE, source, entry.piece, said, "give it another random part")


RULE: Final = Rule(code=CODE, name="id-twice", manual=__doc__, check=check)
