"""The manual page of every rule is true: its bad example is found, its good one is not."""

import re
import textwrap
from pathlib import Path

import pytest

from palaver.bus.admin.lint import judged
from palaver.dialects.office import rules as folder
from palaver.dialects.office.grammar import CODES
from palaver.dialects.office.spec import SPEC
from palaver.model.mounted_files import LintRule

EXAMPLE = r"^{} \((.*?)\):\n\n((?:    .*\n|\n)+)"


def found(rule: LintRule, kind: str) -> list[str]:
    match = re.search(EXAMPLE.format(kind), f"{rule.manual}\n", re.MULTILINE)
    assert match is not None, f"{rule.code} has no {kind} example"
    path, _, rest = match[1].partition("; ")
    files = [(path, textwrap.dedent(match[2]).strip("\n").encode() + b"\n")]
    files += [(other, f"{content}\n".encode()) for other, content in re.findall(r"(\S+) holds `(.*?)`", rest)]
    return [finding.code for finding in judged(files, {"office": SPEC})]


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.name)
def test_the_bad_example_of_a_rule_is_found(rule: LintRule) -> None:
    assert rule.code in found(rule, "Bad")


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.name)
def test_the_good_example_of_a_rule_is_not(rule: LintRule) -> None:
    assert rule.code not in found(rule, "Good")


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.name)
def test_a_manual_begins_with_the_code_and_the_name(rule: LintRule) -> None:
    assert rule.manual.startswith(f"{rule.code} {rule.name}: ")


def test_a_rule_has_the_name_of_its_file() -> None:
    files = {path.stem for path in Path(folder.__file__).parent.glob("[a-z]*.py")}

    assert files == {rule.name.replace("-", "_") for rule in SPEC.rules}


def test_codes_of_the_parser_and_of_the_rules_do_not_clash() -> None:
    shared = {rule.code for rule in SPEC.rules} & set(CODES)

    assert shared == {"OFF102", "OFF103", "OFF104", "OFF105", "OFF115"}, (
        "only what the parser finds and a page explains"
    )


MODELS = ["gpt-5", "gpt-4o", "gpt-4o-mini", "claude", "claude-opus-4-1", "claude-3.5-sonnet",
          "gemini-2.5-pro", "o3-mini", "llama3", "qwen2.5-coder", "deepseek-r1", "model-002",
          "copilot", "grok-4"]  # fmt: skip
EMPLOYEES = ["emp-gpt-4c1d", "emp-copilot-a3f2", "ada", "claude-research-1", "opal", "manager-001", "phil",
             "orchestrator", "o", "copilot-team", "td"]  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_the_name_of_a_model_is_found(name: str) -> None:
    content = f"[2026-02-11T10:00:00Z] [INFO] by: {name} | hello\n".encode()

    findings = judged([(f"messages/employee-{name}.log", content)], {"office": SPEC})

    assert [finding.code for finding in findings] == ["OFF105"]


@pytest.mark.parametrize("name", EMPLOYEES)
def test_the_name_of_an_employee_is_not(name: str) -> None:
    content = f"[2026-02-11T10:00:00Z] [INFO] by: {name} | hello\n".encode()

    assert judged([(f"messages/employee-{name}.log", content)], {"office": SPEC}) == []


NOW = "[2026-02-11T10:00:00Z]"
INEXACT = {
    "lower case": f"{NOW} [info] by: emp-a1 | x",
    "a tab": f"{NOW}\t[INFO] by: emp-a1 | x",
    "two spaces": f"{NOW} [INFO] by: emp-a1  |  x",
    "keys in another order": f"{NOW} [DELIVERY] task-4 | files: a | by: emp-a1 | criteria-met: all",
    "a field too many": f"{NOW} [DELIVERY] task-4 | by: emp-a1 | files: a | criteria-met: all | mood: good",
    "a bar in the title": f"{NOW} [CLAIM] task-4 | title: a | b | by: emp-a1 | difficulty: 1 | deps-met: yes",
    "no task-": f"{NOW} [DELIVERY] 4 | by: emp-a1 | files: a | criteria-met: all",
    "a hard difficulty": f"{NOW} [CLAIM] task-4 | title: a | by: emp-a1 | difficulty: hard | deps-met: yes",
    "half of the criteria": f"{NOW} [DELIVERY] task-4 | by: emp-a1 | files: a | criteria-met: some",
    "a status of its own": f"{NOW} [HEARTBEAT] emp-a1 | status: tired | current-task: none | action: x",
    "a board that was read at no time": f"{NOW} [CLAIM] task-4 | title: a | by: emp-a1 | difficulty: 1"
    " | deps-met: yes | board-read-at: noon",
}


@pytest.mark.parametrize("line", INEXACT.values(), ids=INEXACT.keys())
def test_a_line_that_is_not_to_the_letter_is_found(line: str) -> None:
    findings = judged([("messages/employee-emp-a1.log", f"{line}\n".encode())], {"office": SPEC})

    assert [finding.code for finding in findings] == ["OFF101"]


def test_task_1_and_task_001_are_one_task() -> None:
    inbox = b"[2026-02-11T10:05:00Z] [APPROVAL] task-001 approved for emp-a1. Status: In Progress.\n"
    log = b"""\
[2026-02-11T10:00:00Z] [CLAIM] task-1 | title: x | by: emp-a1 | difficulty: 1 | deps-met: yes
[2026-02-11T11:00:00Z] [DELIVERY] task-01 | by: emp-a1 | files: a | criteria-met: all
"""

    findings = judged(
        [("messages/manager-inbox.log", inbox), ("messages/employee-emp-a1.log", log)], {"office": SPEC}
    )

    assert findings == []


def test_files_of_two_offices_are_not_mixed_up() -> None:
    inbox = b"[2026-02-11T10:05:00Z] [REPLY] To emp-a1: Wait.\n"
    log = b"[2026-02-11T11:00:00Z] [DELIVERY] task-4 | by: emp-a1 | files: a | criteria-met: all\n"

    findings = judged(
        [("one/messages/manager-inbox.log", inbox), ("two/messages/employee-emp-a1.log", log)],
        {"office": SPEC},
    )

    assert findings == []
