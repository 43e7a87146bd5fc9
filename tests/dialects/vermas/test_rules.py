"""The manual page of every rule is true: its bad example is found, its good one is not."""

import re
import textwrap

import pytest

from palaver.bus.admin.lint import judged
from palaver.dialects.vermas.spec import SPEC
from palaver.model.mounted_files import LintRule

_EXAMPLE = re.compile(r"^{} \((.*?)\):\n\n((?:    .*\n|\n)+)", re.MULTILINE)


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.code)
def test_the_examples_of_a_rule_are_what_they_say(rule: LintRule) -> None:
    assert rule.code in _codes(rule, "Bad")
    assert rule.code not in _codes(rule, "Good")
    assert rule.manual.startswith(f"{rule.code} {rule.name}: ")


def _codes(rule: LintRule, kind: str) -> list[str]:
    match = re.search(_EXAMPLE.pattern.format(kind), rule.manual + "\n", re.MULTILINE)
    assert match is not None, f"{rule.code} has no {kind} example"
    path, _, rest = match[1].partition("; ")
    files = [(path, textwrap.dedent(match[2]).strip("\n").encode() + b"\n")]
    files += [(other, f"{content}\n".encode()) for other, content in re.findall(r"(\S+) holds `(.*?)`", rest)]
    return [finding.code for finding in judged(files, {"vermas": SPEC}, "vermas")]
