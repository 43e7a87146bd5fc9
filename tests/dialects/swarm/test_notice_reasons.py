"""The reasoning of notices: a sentence for every rule by which the bus writes one."""

import re

import pytest

from palaver.dialects.swarm.spec import SPEC
from palaver.supervision.step import StepRule
from palaver.views.tasks.board import BACKLOG, FINDING, FINDING_SEEN, SEEN
from palaver.views.tasks.board_fold import NOTICES
from palaver.views.tasks.etiquette import COUNTED
from tests.house.repository import ROOT

#: Rules that the views name where they make a notice due, or return a broken rule.
OWED = re.compile(r'(?:db, event, \(|return |^ {8})"([a-z]+(?:-[a-z]+)+)", ', re.M)


def owed_rules() -> set[str]:
    views = (ROOT / "src/palaver/views/tasks").glob("*.py")
    return {rule for path in views for rule in OWED.findall(path.read_text())}


RULES = sorted({*owed_rules(), *StepRule, *NOTICES, *COUNTED, BACKLOG, FINDING, FINDING_SEEN, SEEN})


def is_sentence(text: str) -> bool:
    return text[:1].isupper() and text.endswith(".") and text.count(". ") == 0 and len(text.split()) > 4


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_of_notices_has_a_reason_of_its_own(rule: str) -> None:
    reason = SPEC.notice_reason(rule, "")

    assert is_sentence(reason)
    assert reason != SPEC.notice_reason("no such rule", "")


@pytest.mark.parametrize("name", [rule.name for rule in SPEC.rules])
def test_a_notice_about_a_broken_rule_gives_the_reason_of_that_rule(name: str) -> None:
    reason = SPEC.notice_reason(FINDING, name)

    assert is_sentence(reason)
    assert reason not in SPEC.notice_reasons.values()
