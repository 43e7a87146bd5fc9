"""RUN036 review-off-template: a REVIEW does not follow the template for reviews.

Why: programs read a review: scope, severity, findings, tests and recommendation, each under its label.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: REVIEW
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    Looks good, but the parser needs tests.

    ---

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: REVIEW
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    Scope: src/parser.py
    Severity: major
    Findings:
    - src/parser.py:12 drops the last line
    - src/parser.py:40 splits at U+2028
    Tests: a file without a final newline
    Recommendation: mend it before the merge

    ---
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries
from palaver.dialects.runbus.templates import SEVERITIES, read_review
from palaver.dialects.shared.rule import CheckedFile, Violation, rule


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        if entry.message.act != "review" or entry.front is None or entry.is_translated:
            continue
        review = read_review(entry.message.body)
        if review is None:
            way_out = "write Scope:, Severity:, Findings:, Tests: and Recommendation:, in this order"
            yield entry.violation("the review does not follow its template", way_out)
        elif review.severity.strip().lower() not in SEVERITIES:
            said = f"{review.severity[:40]!a} is not a severity"
            yield entry.violation(said, f"use {', '.join(SEVERITIES)}")


RULE: Final = rule(__doc__, _check)
