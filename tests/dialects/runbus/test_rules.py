"""The manual page of every rule is true: its bad example is found, its good one is not."""

import re
import textwrap
from pathlib import Path

import pytest

from palaver.bus.admin.lint import judged
from palaver.dialects.runbus import rules
from palaver.dialects.runbus.grammar import CODES
from palaver.dialects.runbus.spec import SPEC
from palaver.model.mounted_files import LintRule, Mount, Source
from tests.dialects.runbus.blocks import block


def codes(*contents: str) -> list[str]:
    files = [(f"{n}/MESSAGE-BUS.md", content.encode()) for n, content in enumerate(contents)]
    return [finding.code for finding in judged(files, {"runbus": SPEC})]


def example(rule: LintRule, kind: str) -> tuple[str, bytes]:
    match = re.search(rf"^{kind} \((.*?)\):\n\n((?:    .*\n|\n)+)", rule.manual + "\n", re.M)
    assert match is not None, f"{rule.code} has no {kind} example"
    return match[1], textwrap.dedent(match[2]).strip("\n").encode() + b"\n"


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.code)
def test_the_examples_of_a_rule_are_what_they_say(rule: LintRule) -> None:
    found = {}
    for kind in ("Bad", "Good"):
        path, content = example(rule, kind)
        source = Source(path=path, content=content, mount=Mount(dialect="runbus"))
        parsed = SPEC.parse(source)
        found[kind] = {finding.code for finding in rule.check(source, parsed, {path: parsed})}

    assert found == {"Bad": {rule.code}, "Good": set()}


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.code)
def test_a_good_example_is_good_in_every_way_but_what_it_shows(rule: LintRule) -> None:
    path, content = example(rule, "Good")

    found = {finding.code for finding in judged([(path, content)], {"runbus": SPEC})}

    assert found <= {"RUN031", "RUN041"}


def test_a_rule_is_called_like_its_file() -> None:
    files = {path.stem for path in Path(rules.__path__[0]).glob("*.py")} - {"__init__"}

    assert {rule.name.replace("-", "_") for rule in SPEC.rules} == files
    assert all(rule.manual.startswith(f"{rule.code} {rule.name}: ") for rule in SPEC.rules)


def test_the_page_of_the_dialect_names_every_code() -> None:
    page = (Path(__file__).parents[3] / "docs" / "dialects" / "runbus.md").read_text("utf-8")
    rows = set(re.findall(r"^\| (RUN\d+) \| (?:(\S+) \| )?", page, re.M))

    assert {code for code, _ in rows} == CODES.keys() | {rule.code for rule in SPEC.rules}
    assert {(rule.code, rule.name) for rule in SPEC.rules} <= rows


def test_an_answer_in_another_file_closes_a_question() -> None:
    question = block(type="QUESTION")
    answer = block(
        type="ANSWER", id="MSG-20260126-101600-codex-a1b", more="relatesTo: MSG-20260126-101500-claude-5f2\n"
    )

    assert "RUN041" in codes(question)
    assert "RUN031" in codes(answer)
    assert {"RUN031", "RUN041"}.isdisjoint(codes(question, answer))


def test_our_own_id_names_the_same_question() -> None:
    question = block(type="QUESTION", id="MSG-20260126-101500-ada-7eqvl7msm3bp")
    answer = block(type="ANSWER", id="MSG-20260126-101600-codex-a1b", more="relatesTo: msg-7eqvl7msm3bp\n")

    assert {"RUN031", "RUN041"}.isdisjoint(codes(question + answer))


def test_an_answer_that_names_nothing_closes_the_oldest_question_of_its_task() -> None:
    first = block(type="QUESTION")
    second = block(type="QUESTION", id="MSG-20260126-101501-claude-5f3")
    answer = block(id="MSG-20260126-101600-codex-a1b", body="[ANSWER] The second one.")

    assert codes(first + second + answer).count("RUN041") == 1


def test_a_severity_is_one_of_four() -> None:
    review = "Scope: a\nSeverity: {}\nFindings: none\nTests: none\nRecommendation: merge"

    assert "RUN036" not in codes(block(type="REVIEW", body=review.format("nit")))
    assert "RUN036" in codes(block(type="REVIEW", body=review.format("terrible")))


def test_what_came_from_another_dialect_need_not_follow_templates() -> None:
    said = [
        block(type=word, agent="emp-copilot-a3f2", more='palaver-to: ["bob"]\n', body="It is so.")
        for word in ("REVIEW", "ERROR", "COMPLETE")
    ]

    assert [codes(each) for each in said] == [[], [], []]


def test_an_escalation_is_no_error_report() -> None:
    assert codes(block(type="ERROR", body="[ESCALATE] Nobody answers.")) == []


def test_an_id_must_have_a_date_that_is_one() -> None:
    assert "RUN032" in codes(block(id="MSG-20261345-101500-claude-5f2"))


def test_nothing_relates_to_the_placeholder() -> None:
    assert "RUN042" in codes(block(more="relatesTo: MSG-00000000-000000-000\n"))


def test_a_mark_inside_a_text_is_no_mark() -> None:
    assert codes(block(body="<!-- All messages below this line. -->\nNo.")) == []
