"""RUN037 error-off-template: an ERROR does not follow the template for error reports.

Why: to help, an agent needs the task, the attempts, the last output, what is blocked, and a suggestion.

Bad (MESSAGE-BUS.md):

    claude ERROR: The build is broken.

Good (MESSAGE-BUS.md):

    claude ERROR:
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
"""

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.runbus.templates import is_error_report
from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        is_ours = entry.kind == "ERROR" and entry.message.act == "block" and not entry.is_translated
        if is_ours and not is_error_report(entry.message.body):
            way_out = "write the parts of '## Error Report': Task, Attempts, Error Details, Impact, Suggested Action"
            yield entry.violation("the error does not follow its template", way_out)
