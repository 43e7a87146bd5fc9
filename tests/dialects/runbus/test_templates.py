"""The templates of REVIEW and ERROR, and what does not follow them."""

import pytest

from palaver.dialects.runbus.templates import is_error_report, review_severity

REVIEW = """\
Scope: <files/modules>
Severity: <blocker/major/minor/nit>
Findings: <bulleted list with file refs>
Tests: <missing or recommended>
Recommendation: <action>"""
ERROR = """\
## Error Report

**Task:** <task description>
**Attempts:**
1. Claude: <error summary>
2. Codex: <error summary>
3. Gemini: <error summary>

**Error Details:**
```
<last error output>
```

**Impact:** <what is blocked>
**Suggested Action:** <recommendation>"""


OUTPUT = "```\n<last error output>\n```"


def test_the_templates_are_read() -> None:
    assert review_severity(REVIEW) == "<blocker/major/minor/nit>"
    assert is_error_report(ERROR)


@pytest.mark.parametrize(
    "findings", ["Findings:\n- a.py:1 x\n- b.py:2 y\n  and z", "Findings: None", "Findings: - a\n* b\nmore"]
)
def test_findings_are_a_line_or_a_list(findings: str) -> None:
    review = REVIEW.replace("Findings: <bulleted list with file refs>", findings).replace(
        "Severity: ", "Severity: nit "
    )

    assert review_severity(review) == "nit <blocker/major/minor/nit>"


def test_what_others_write_is_read_as_well() -> None:
    assert is_error_report(ERROR.replace("```\n", ""))


def test_an_output_that_holds_fences_and_labels_stays_whole() -> None:
    quoted = f"```\n{ERROR}\n```"

    assert is_error_report(ERROR.replace(OUTPUT, f"````\n{quoted}\n````"))


@pytest.mark.parametrize("label", ["Scope", "Severity", "Findings", "Tests", "Recommendation"])
def test_a_review_without_a_label_does_not_follow_its_template(label: str) -> None:
    assert review_severity(REVIEW.replace(label, "Other")) is None


@pytest.mark.parametrize(
    "label", ["## Error Report", "**Task:**", "**Attempts:**", "**Error Details:**", "**Impact:**", "Action"]
)
def test_a_report_without_a_label_does_not_follow_its_template(label: str) -> None:
    assert not is_error_report(ERROR.replace(label, "Other"))


def test_what_does_not_follow_a_template() -> None:
    assert review_severity("") is None
    assert review_severity("Looks good.") is None
    assert review_severity(f"Hello.\n{REVIEW}") is None
    assert not is_error_report("")
    assert not is_error_report("## Error Report")
    assert not is_error_report(ERROR.replace("1. Claude", "Claude"))
    assert not is_error_report(ERROR.replace("```\n\n", "```\nmore\n"))
    assert not is_error_report(ERROR.replace("output>\n```", "output>"))
