"""RUN043 one-line-form: a message is one line in an older form.

Why: such a line has neither agent nor id, so it cannot be answered.

Bad (MESSAGE-BUS.md):

    [2026-02-05 12:51:54] FACT: Task docs-user started (PID: 87913)

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260205-125154-orchestrator-9c1
    type: FACT
    agent: orchestrator
    timestamp: 2026-02-05T12:51:54Z
    runId: run_001
    taskId: TASK-parser
    ---

    Task docs-user started (PID: 87913)

    ---
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.runbus.entries import entries, finding
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN043"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such line."""
    for entry in entries(source, parsed):
        if entry.front is None:
            way_out = "write it as a block, from messageId to the closing ---"
            yield finding(CODE, source, entry.piece, "the message is one line, without agent and id", way_out)


RULE: Final = Rule(code=CODE, name="one-line-form", manual=__doc__, check=check)
