"""RUN038 complete-without-files: a COMPLETE names neither the files that changed nor artifacts.

Why: other agents must be able to find the results: a COMPLETE lists changed files and artifacts.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: COMPLETE
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    The parser is done.

    ---

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: COMPLETE
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    files: src/parser.py, tests/test_parser.py
    artifacts: runs/run_001/artifacts/review-packet.md
    ---

    The parser is done.

    ---
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violation, rule


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        message = entry.message
        if (
            entry.field("type").upper() != "COMPLETE"
            or message.files
            or message.artifacts
            or entry.is_translated
        ):
            continue
        way_out = "list them in files: and artifacts:"
        yield entry.violation("it names no files and no artifacts", way_out)


RULE: Final = rule(__doc__, _check)
