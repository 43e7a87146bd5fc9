"""The two templates that a text can follow, read as values.

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

One finding is on the line of its label; several are below it after hyphens. Further lines of a value are
indented by two spaces.
"""

import re
from dataclasses import dataclass
from typing import Final

SEVERITIES: Final = ("blocker", "major", "minor", "nit")
_REVIEW: Final = ("Scope:", "Severity:", "Findings:", "Tests:", "Recommendation:")
_HEADING: Final = "## Error Report"
_ERROR: Final = ("**Task:**", "**Attempts:**", "**Error Details:**", "**Impact:**", "**Suggested Action:**")
#: The part of a report whose quoted output may contain a label.
_FENCED: Final = 2
_NOTHING: Final = "none"
_INDENT: Final = "  "
_BULLET: Final = re.compile(r"[-*] ")
_NUMBER: Final = re.compile(r"[0-9]+\. ?")
_FENCE: Final = re.compile(r" {0,3}(`{3,})[^`\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A review of a piece of work."""

    scope: str
    severity: str
    findings: tuple[str, ...]
    tests: str
    recommendation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReport:
    """What went wrong, the attempts, and what is blocked."""

    task: str
    attempts: tuple[str, ...]
    details: str
    impact: str
    action: str


def read_review(text: str) -> Review | None:
    """Return a text as a review, or None if it does not follow the template."""
    parts = _parts(text.split("\n"), _REVIEW)
    if parts is None:
        return None
    scope, severity, findings, tests, recommendation = parts
    return Review(
        scope=_value(scope),
        severity=_value(severity),
        findings=_findings(findings),
        tests=_value(tests),
        recommendation=_value(recommendation),
    )


def read_error_report(text: str) -> ErrorReport | None:
    """Return a text as an error report, or None if it does not follow the template."""
    heading, *lines = text.split("\n")
    parts = _parts(lines, _ERROR) if heading == _HEADING else None
    if parts is None:
        return None
    task, attempts, details, impact, action = parts
    tried, output = _items(attempts, _NUMBER), _output(details)
    if tried is None or output is None:
        return None
    return ErrorReport(
        task=_value(task), attempts=tried, details=output, impact=_value(impact), action=_value(action)
    )


def _parts(lines: list[str], labels: tuple[str, ...]) -> list[list[str]] | None:
    """Return the lines after each label, without trailing empty ones; None if a label is missing."""
    parts: list[list[str]] = []
    fence = ""
    for line in lines:
        label = labels[len(parts)] if len(parts) < len(labels) else ""
        if label and not fence and line.startswith(label):
            parts.append([line[len(label) :].removeprefix(" ")])
        elif parts:
            parts[-1].append(line)
            if labels is _ERROR and len(parts) - 1 == _FENCED:
                fence = _fence(fence, line)
        elif line:
            return None
    for part in parts:
        while len(part) > 1 and not part[-1]:
            part.pop()
    return parts if len(parts) == len(labels) else None


def _fence(open_one: str, line: str) -> str:
    """Return the fence that is open after a line."""
    match = _FENCE.fullmatch(line)
    if match is None:
        return open_one
    if not open_one:
        return match[1]
    closes = len(match[1]) >= len(open_one) and line.strip() == match[1]
    return "" if closes else open_one


def _value(part: list[str]) -> str:
    return "\n".join([part[0], *(line.removeprefix(_INDENT) for line in part[1:])])


def _findings(part: list[str]) -> tuple[str, ...]:
    items = _items(part, _BULLET)
    if items is not None and (items or not part[0]):
        return items
    value = _value(part)
    return () if value.strip().lower() in ("", _NOTHING) else (value,)


def _items(part: list[str], mark: re.Pattern[str]) -> tuple[str, ...] | None:
    """Return the items of a list, one per line after its mark; None if anything else precedes them."""
    items: list[list[str]] = []
    for line in part if part[0] else part[1:]:
        if match := mark.match(line):
            items.append([line[match.end() :]])
        elif items:
            items[-1].append(line)
        elif line:
            return None
    return tuple(_value(_trimmed(item)) for item in items)


def _trimmed(item: list[str]) -> list[str]:
    while len(item) > 1 and not item[-1]:
        item.pop()
    return item


def _output(part: list[str]) -> str | None:
    """Return the content of the code fence in the details; without a fence, the lines as they are."""
    lines = part[1:]
    fence = _FENCE.fullmatch(lines[0]) if lines else None
    if part[0] or (fence is not None and _fence(fence[1], lines[-1])):
        return None
    if fence is None:
        return "\n".join(lines)
    inner = lines[1:-1]
    left_early = any(not _fence(fence[1], line) for line in inner)
    return None if left_early or len(lines) < 2 else "\n".join(inner)
