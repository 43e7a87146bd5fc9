"""RUN036 review-off-template: a REVIEW does not follow the template for reviews.

Why: programs read a review: scope, severity, findings, tests and recommendation, each under its label.

Bad (MESSAGE-BUS.md):

    claude REVIEW: Looks good, but the parser needs tests.

Good (MESSAGE-BUS.md):

    claude REVIEW:
    Scope: src/parser.py
    Severity: major
    Findings:
    - src/parser.py:12 drops the last line
    - src/parser.py:40 splits at U+2028
    Tests: a file without a final newline
    Recommendation: mend it before the merge
"""

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.runbus.templates import SEVERITIES, review_severity
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.masking.masks import clip


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        if entry.message.act != "review" or entry.front is None or entry.is_translated:
            continue
        severity = review_severity(entry.message.body)
        if severity is None:
            way_out = "write Scope:, Severity:, Findings:, Tests: and Recommendation:, in this order"
            yield entry.violation("the review does not follow its template", way_out)
        elif severity.lower() not in SEVERITIES:
            yield entry.violation(f"{clip(severity, 40)!a} is not a severity", f"use {', '.join(SEVERITIES)}")
