"""The two templates that a text can follow, as values, both ways.

A REVIEW:                                       An ERROR:

    Scope: <files/modules>                          ## Error Report
    Severity: <blocker/major/minor/nit>
    Findings: <bulleted list with file refs>        **Task:** <task description>
    Tests: <missing or recommended>                 **Attempts:**
    Recommendation: <action>                        1. Claude: <error summary>
                                                    2. Codex: <error summary>

                                                    **Error Details:**
                                                    ```
                                                    <last error output>
                                                    ```

                                                    **Impact:** <what is blocked>
                                                    **Suggested Action:** <recommendation>

One finding stands on the line of its label, several stand below it behind hyphens. Further lines of a value
are indented by two spaces, so that no value can pass for the next label.
"""

import re
from dataclasses import dataclass
from typing import Final

SEVERITIES: Final = ("blocker", "major", "minor", "nit")
_NOTHING: Final = "none"
_REVIEW: Final = ("Scope", "Severity", "Findings", "Tests", "Recommendation")
_BULLET: Final = re.compile(r"[-*] ")
_ATTEMPT: Final = re.compile(r"[0-9]+\. ?")
_HEADING: Final = "## Error Report"
_TASK: Final = "**Task:**"
_ATTEMPTS: Final = "**Attempts:**"
_DETAILS: Final = "**Error Details:**"
_IMPACT: Final = "**Impact:**"
_ACTION: Final = "**Suggested Action:**"
_FENCE: Final = re.compile(r"(`{3,})[^`\n]*")
_MARKS: Final = re.compile(r"^ {0,3}(`{3,})", re.M)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a reviewer says about a piece of work."""

    scope: str
    severity: str
    findings: tuple[str, ...]
    tests: str
    recommendation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReport:
    """What went wrong, who tried, and what that blocks."""

    task: str
    attempts: tuple[str, ...]
    details: str
    impact: str
    action: str


def read_review(text: str) -> Review | None:
    """Return the review that a text is, or None if it does not follow the template."""
    parts: list[list[str]] = []
    for line in text.split("\n"):
        label = _REVIEW[len(parts)] if len(parts) < len(_REVIEW) else ""
        if label and line.startswith(f"{label}:"):
            parts.append([line[len(label) + 1 :].removeprefix(" ")])
        elif not parts:
            return None
        else:
            parts[-1].append(line)
    if len(parts) < len(_REVIEW):
        return None
    scope, severity, findings, tests, recommendation = parts
    return Review(
        scope=_value(scope),
        severity=_value(severity),
        findings=_findings(findings),
        tests=_value(tests),
        recommendation=_value(recommendation),
    )


def write_review(review: Review) -> str:
    """Return a review as the template has it."""
    values = (
        review.scope, review.severity, _listed(review.findings), review.tests, review.recommendation,
    )  # fmt: skip
    return "\n".join(_line(f"{label}:", value) for label, value in zip(_REVIEW, values, strict=True))


def read_error(text: str) -> ErrorReport | None:
    """Return the report that a text is, or None if it does not follow the template."""
    lines = [line for line in text.split("\n")]
    head = _Lines(lines)
    task = head.after(_HEADING, _TASK)
    attempts = head.after("", _ATTEMPTS) if task is not None else None
    if task is None or attempts is None or _value(attempts):
        return None
    return None


def write_error(report: ErrorReport) -> str:
    """Return a report as the template has it."""
    longest = max((len(marks) for marks in _MARKS.findall(report.details)), default=0)
    fence = "`" * max(3, longest + 1)
    attempts = [f"{n}. {_indented(attempt)}" for n, attempt in enumerate(report.attempts, start=1)]
    return "\n".join(
        [
            _HEADING,
            "",
            _line(_TASK, report.task),
            _ATTEMPTS,
            *attempts,
            "",
            _DETAILS,
            fence,
            *([report.details] if report.details else []),
            fence,
            "",
            _line(_IMPACT, report.impact),
            _line(_ACTION, report.action),
        ]
    )
