"""RUN030 answer-without-relatesto: an ANSWER does not name the message that it answers.

Why: `relatesTo` is required for ANSWER. Without it no agent can tell which question is answered.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101700-codex-a1b
    type: ANSWER
    agent: codex-impl-1
    timestamp: 2026-01-26T10:17:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    The second one.

    ---

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101700-codex-a1b
    type: ANSWER
    agent: codex-impl-1
    timestamp: 2026-01-26T10:17:00Z
    runId: run_001
    taskId: TASK-parser
    relatesTo: MSG-20260126-101500-claude-5f2
    ---

    The second one.

    ---
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.runbus.entries import entries, finding
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN030"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such answer."""
    for entry in entries(source, parsed):
        if entry.field("type").upper() == "ANSWER" and not entry.message.reply_to:
            said = "the ANSWER has no relatesTo"
            yield finding(CODE, source, entry.piece, said, "write relatesTo: and the id of the question")


RULE: Final = Rule(code=CODE, name="answer-without-relatesto", manual=__doc__, check=check)
