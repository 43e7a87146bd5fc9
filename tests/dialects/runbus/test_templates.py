"""REVIEW and ERROR as values."""

from palaver.dialects.runbus.templates import (
    ErrorReport,
    Review,
    read_error_report,
    read_review,
)

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


def test_the_review_template_is_read() -> None:
    review = read_review(REVIEW)

    assert review == Review(
        scope="<files/modules>",
        severity="<blocker/major/minor/nit>",
        findings=("<bulleted list with file refs>",),
        tests="<missing or recommended>",
        recommendation="<action>",
    )


def test_the_error_template_is_read() -> None:
    report = read_error_report(ERROR)

    assert report == ErrorReport(
        task="<task description>",
        attempts=("Claude: <error summary>", "Codex: <error summary>", "Gemini: <error summary>"),
        details="<last error output>",
        impact="<what is blocked>",
        action="<recommendation>",
    )


def test_several_findings_are_a_bulleted_list() -> None:
    listed = "Findings:\n- a.py:1 x\n- b.py:2 y\n  and z"

    review = read_review(REVIEW.replace("Findings: <bulleted list with file refs>", listed))

    assert review is not None
    assert review.findings == ("a.py:1 x", "b.py:2 y\nand z")


def test_no_finding_is_none() -> None:
    review = read_review(REVIEW.replace("<bulleted list with file refs>", "None"))

    assert review is not None
    assert review.findings == ()


def test_what_others_write_is_read_as_well() -> None:
    bulleted = read_review(
        REVIEW.replace("Findings: <bulleted list with file refs>", "Findings: - a\n* b\nmore")
    )
    unfenced = read_error_report(ERROR.replace("```\n", ""))

    assert bulleted is not None
    assert bulleted.findings == ("a", "b\nmore")
    assert unfenced is not None
    assert unfenced.details == "<last error output>"


def test_an_output_that_holds_fences_and_labels_stays_whole() -> None:
    quoted = f"```\n{ERROR}\n```"

    report = read_error_report(ERROR.replace("```\n<last error output>\n```", f"````\n{quoted}\n````"))

    assert report is not None
    assert (report.details, report.impact) == (quoted, "<what is blocked>")


def test_what_does_not_follow_a_template_is_none() -> None:
    assert read_review("") is None
    assert read_review("Looks good.") is None
    assert read_review(f"Hello.\n{REVIEW}") is None
    for label in ("Scope", "Severity", "Findings", "Tests", "Recommendation"):
        assert read_review(REVIEW.replace(label, "Other")) is None, label
    assert read_error_report("") is None
    assert read_error_report("## Error Report") is None
    for label in (
        "## Error Report",
        "**Task:**",
        "**Attempts:**",
        "**Error Details:**",
        "**Impact:**",
        "Action",
    ):
        assert read_error_report(ERROR.replace(label, "Other")) is None, label
    assert read_error_report(ERROR.replace("1. Claude", "Claude")) is None
    assert read_error_report(ERROR.replace("```\n\n", "```\nmore\n")) is None
