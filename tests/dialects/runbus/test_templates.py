"""REVIEW and ERROR as values, both ways."""

from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.dialects.runbus.templates import (
    ErrorReport,
    Review,
    read_error_report,
    read_review,
    write_error_report,
    write_review,
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

# What could pass for another part of a template.
WORDS = (
    "a", "\n", " ", "- x", "* b", "Tests: y", "Scope:", "none", "```", "````", "~~~", "1. q", "  ", "\t",
    "**Impact:** z", "**Task:**", "## Error Report", "\r", "\u2028",
)  # fmt: skip
values = st.lists(st.sampled_from(WORDS), max_size=6).map("".join)
many = st.lists(values, max_size=3).map(tuple)


def test_the_review_template_is_read_and_written_byte_for_byte() -> None:
    review = read_review(REVIEW)

    assert review == Review(
        scope="<files/modules>",
        severity="<blocker/major/minor/nit>",
        findings=("<bulleted list with file refs>",),
        tests="<missing or recommended>",
        recommendation="<action>",
    )
    assert write_review(review) == REVIEW


def test_the_error_template_is_read_and_written_byte_for_byte() -> None:
    report = read_error_report(ERROR)

    assert report == ErrorReport(
        task="<task description>",
        attempts=("Claude: <error summary>", "Codex: <error summary>", "Gemini: <error summary>"),
        details="<last error output>",
        impact="<what is blocked>",
        action="<recommendation>",
    )
    assert write_error_report(report) == ERROR


def test_several_findings_are_a_bulleted_list() -> None:
    review = Review(
        scope="src",
        severity="major",
        findings=("a.py:1 x", "b.py:2 y\nand z"),
        tests="none",
        recommendation="mend",
    )

    text = write_review(review)

    assert text.split("\n")[2:6] == ["Findings:", "- a.py:1 x", "- b.py:2 y", "  and z"]
    assert read_review(text) == review


def test_no_finding_is_none() -> None:
    review = read_review(REVIEW.replace("<bulleted list with file refs>", "None"))

    assert review is not None
    assert review.findings == ()
    assert "Findings: none\n" in write_review(review)


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
    report = read_error_report(ERROR)
    assert report is not None
    quoting = ErrorReport(
        task=report.task,
        attempts=(),
        details=f"```\n{ERROR}\n```",
        impact=report.impact,
        action=report.action,
    )

    assert read_error_report(write_error_report(quoting)) == quoting


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


@settings(deadline=None)
@given(scope=values, severity=values, findings=many, tests=values, recommendation=values)
def test_every_review_comes_back(
    scope: str, severity: str, findings: tuple[str, ...], tests: str, recommendation: str
) -> None:
    review = Review(
        scope=scope, severity=severity, findings=findings, tests=tests, recommendation=recommendation
    )

    assert read_review(write_review(review)) == review


@settings(deadline=None)
@given(task=values, attempts=many, details=values, impact=values, action=values)
def test_every_error_report_comes_back(
    task: str, attempts: tuple[str, ...], details: str, impact: str, action: str
) -> None:
    report = ErrorReport(task=task, attempts=attempts, details=details, impact=impact, action=action)

    assert read_error_report(write_error_report(report)) == report
