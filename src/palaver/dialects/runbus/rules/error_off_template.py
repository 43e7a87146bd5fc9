"""RUN037 error-off-template: an ERROR does not follow the template for error reports.

Why: to help, an agent needs the task, the attempts, the last output, what is blocked, and a suggestion.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: ERROR
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    The build is broken.

    ---

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: ERROR
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    ## Error Report

    **Task:** build the parser
    **Attempts:**
    1. Claude: no such module
    2. Codex: no such module

    **Error Details:**
    ```
    ModuleNotFoundError: msgspec
    ```

    **Impact:** nothing can be tested
    **Suggested Action:** install msgspec

    ---
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries
from palaver.dialects.runbus.templates import read_error_report
from palaver.dialects.shared.rule import CheckedFile, Violation, rule


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        if entry.field("type").upper() != "ERROR" or entry.message.act != "block" or entry.is_translated:
            continue
        if read_error_report(entry.message.body) is None:
            way_out = "write the parts of '## Error Report': Task, Attempts, Error Details, Impact, Suggested Action"
            yield entry.violation("the error does not follow its template", way_out)


RULE: Final = rule(__doc__, _check)
