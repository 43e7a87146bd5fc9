"""The two templates that a text can follow.

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
"""

import re
from typing import Final

SEVERITIES: Final = ("blocker", "major", "minor", "nit")
_REVIEW: Final = ("Scope:", "Severity:", "Findings:", "Tests:", "Recommendation:")
_HEADING: Final = "## Error Report"
_ERROR: Final = ("**Task:**", "**Attempts:**", "**Error Details:**", "**Impact:**", "**Suggested Action:**")
_ATTEMPTS: Final = re.compile(r"\s*(?:\Z|[0-9]+\.)")
#: Quoted output, which may contain labels, and what it is replaced by.
_OUTPUT: Final = re.compile(r"^ {0,3}(`{3,})[^`\n]*\n(?:.*\n)*? {0,3}\1`* *$", re.M)
_QUOTED: Final = "\0"


def write_review(findings: str) -> str:
    """Return a review with these findings, one a line; its author fills in the rest."""
    lines = [line.strip().removeprefix("- ") for line in findings.split("\n") if line.strip()]
    found = f" {lines[0]}" if len(lines) == 1 else "".join(f"\n- {line}" for line in lines)
    return (
        f"Scope: <files/modules>\nSeverity: {SEVERITIES[1]}\nFindings:{found or ' none'}\n"
        "Tests: <missing or recommended>\nRecommendation: <action>"
    )


def with_severity(review: str, severity: str = SEVERITIES[1]) -> str:
    """Return a review with another severity."""
    return re.sub(r"^Severity:.*$", f"Severity: {severity}", review, count=1, flags=re.M)


def write_error_report(details: str) -> str:
    """Return an error report with this output; its author fills in the rest."""
    fence = "```"
    while fence in details:
        fence += "`"
    return (
        f"{_HEADING}\n\n**Task:** <task description>\n**Attempts:**\n1. <agent>: <error summary>\n\n"
        f"**Error Details:**\n{fence}\n{details}\n{fence}\n\n"
        "**Impact:** <what is blocked>\n**Suggested Action:** <recommendation>"
    )


def review_severity(text: str) -> str | None:
    """Return the severity that a review gives, or None if the text does not follow the template."""
    values = _values(text, _REVIEW)
    return values[1].strip() if values else None


def is_error_report(text: str) -> bool:
    """Return True if a text follows the template: attempts are numbered, details end with their fence."""
    heading, _, report = text.partition("\n")
    values = _values(_OUTPUT.sub(_QUOTED, report), _ERROR)
    if heading != _HEADING or values is None:
        return False
    _, attempts, details, _, _ = values
    output = details.strip("\n")
    return (
        _ATTEMPTS.match(attempts) is not None
        and details[:1] in ("", "\n")
        and (output == _QUOTED or not output.startswith((_QUOTED, "```")))
    )


def _values(text: str, labels: tuple[str, ...]) -> list[str] | None:
    """Return what follows each label at the start of a line; None if one is missing or is not the first."""
    values: list[str] = []
    rest = f"\n{text}"
    for label in labels:
        value, found, rest = rest.partition(f"\n{label}")
        if not found:
            return None
        values.append(value)
    return [*values[1:], rest] if not values[0].strip("\n") else None
