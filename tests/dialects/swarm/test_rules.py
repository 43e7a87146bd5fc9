"""The rules of swarm: each page's own examples, and what the pages do not show."""

import re
from pathlib import Path
from typing import Final

import pytest

from palaver.dialects.swarm.spec import SPEC
from palaver.model.mounted_files import LintRule, Mount, Source
from tests.dialects.swarm.read import MOUNT, PATH, line, linted

RULES: Final = {rule.name: rule for rule in SPEC.rules}


def example(rule: LintRule, kind: str) -> bytes:
    """Return the bad or the good example of a page as a file."""
    match = re.search(rf"^{kind} \(channel\.jsonl\):\n\n((?:    .*\n)+)", rule.manual, re.M)
    assert match, f"{rule.name} has no {kind} example"
    return re.sub(r"(?m)^    ", "", match[1]).encode()


def found(rule: LintRule, content: bytes, mount: Mount = MOUNT) -> list[str]:
    source = Source(path=PATH, content=content, mount=mount)
    parsed = SPEC.parse(source)
    return [finding.code for finding in rule.check(source, parsed, {PATH: parsed})]


@pytest.mark.parametrize("name", RULES)
def test_the_bad_example_of_a_rule_is_found_and_the_good_one_is_not(name: str) -> None:
    rule = RULES[name]

    assert set(found(rule, example(rule, "Bad"))) == {rule.code}
    assert found(rule, example(rule, "Good")) == []


@pytest.mark.parametrize("name", RULES)
def test_a_good_example_is_good_by_every_rule(name: str) -> None:
    assert linted(example(RULES[name], "Good")) == []


@pytest.mark.parametrize("name", RULES)
def test_the_page_of_a_rule_opens_with_its_code_and_name(name: str) -> None:
    rule = RULES[name]
    module = f"{name.replace('-', '_')}.py"

    assert rule.manual.startswith(f"{rule.code} {name}: ")
    assert (Path(SPEC.parse.__code__.co_filename).parent / "rules" / module).is_file()


@pytest.mark.parametrize("reasoning", ["-", "", "  ", None])
def test_a_reason_that_says_nothing_is_missing(reasoning: str | None) -> None:
    assert linted(line(reasoning=reasoning)) == ["SWA101"]


def assigned(*answers: bytes, to: object = ("@qa",), content: str = "@qa test it, task #2.") -> bytes:
    return line(sender="td", type="task", to=to, content=content) + b"".join(answers)


def said(content: str, kind: str = "task", sender: str = "qa") -> bytes:
    return line(sender=sender, type=kind, to=["@td"], content=content)


@pytest.mark.parametrize(
    "content",
    [
        assigned(),
        assigned(said("Hello", sender="critic")),
        assigned(said("ACK: Claimed task #2.")),
        assigned(said("ACK: on it")),
        assigned(said("Claimed task #2")),
        assigned(said("[REFUSE:#2] No time.", "message")),
        assigned(said("Working", "status"), said("ACK: Claimed task #2.")),
        assigned(said("ACK: Claimed task #2."), content="@qa test it."),
        assigned(said("ACK: Claimed"), to=None),
        assigned(said("Hello", sender="critic"), content="@qa test what @critic wrote, task #2."),
    ],
)
def test_an_assignment_that_was_seen_or_may_be_seen_yet_is_fine(content: bytes) -> None:
    assert found(RULES["ack-missing"], content) == []


@pytest.mark.parametrize(
    "content",
    [
        assigned(said("Completed task #2.")),
        assigned(said("BLOCKED: Task #2", "status")),
        assigned(said("ACK: Claimed task #3.")),
        assigned(said("Working", "status"), to=None),
        assigned(said("Working", "status"), to=["@all"]),
    ],
)
def test_an_assignment_whose_addressee_only_wrote_something_else_is_found(content: bytes) -> None:
    assert found(RULES["ack-missing"], content) == ["SWA104"]


def test_each_addressee_of_an_assignment_acknowledges_for_itself() -> None:
    content = assigned(
        said("ACK: Claimed task #2."),
        said("Hello", "message", sender="critic"),
        to=["@qa", "@critic"],
    )

    assert found(RULES["ack-missing"], content) == ["SWA104"]


def test_one_receipt_is_for_one_assignment() -> None:
    twice = assigned() + assigned(said("ACK: Claimed task #2."))

    assert found(RULES["ack-missing"], twice) == ["SWA104"]
    assert found(RULES["ack-missing"], twice + said("ACK: Claimed task #2.")) == []


def test_a_blocked_agent_may_name_somebody_in_its_text() -> None:
    content = line(type="status", to=None, content="BLOCKED: no spec. @architect please provide it.")

    assert found(RULES["blocked-names-nobody"], content) == []


@pytest.mark.parametrize("content", ["BLOCKED: mail me at a@b.example", "BLOCKED: @all help", "BLOCKED: @ -"])
def test_a_sign_that_is_no_handle_names_nobody(content: str) -> None:
    blocked = line(type="status", to=["@all"], content=content)

    assert found(RULES["blocked-names-nobody"], blocked) == ["SWA105"]


def test_the_mount_says_who_directs() -> None:
    mount = Mount(dialect="swarm", settings={"director": "@Lead"})
    shutdown = line(sender="lead", type="system", content="SHUTDOWN_REQUEST: x")
    autonomy = line(sender="lead", type="autonomy", content="AUTONOMY_UPDATE: qa → gated")

    assert linted(shutdown + autonomy, mount) == []
    assert linted(shutdown + autonomy) == ["SWA102", "SWA106"]


def test_a_refused_shutdown_is_an_answer() -> None:
    request = line(sender="td", type="system", content="SHUTDOWN_REQUEST: x")
    refusal = line(sender="qa", to=["@td"], content="[REFUSE] A test is running.")
    later = line(sender="qa", to=["@td"], type="status", content="Half done.")

    assert found(RULES["shutdown-unanswered"], request + refusal + later) == []
    assert found(RULES["shutdown-unanswered"], request + later) == ["SWA107"]
    assert found(RULES["shutdown-unanswered"], request) == []


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("message", "ACK: x"),
        ("system", "BLOCKED: x"),
        ("status", "HANDOFF: x"),
        ("decision", "AUTONOMY_UPDATE: x"),
    ],
)
def test_a_word_needs_its_type(kind: str, content: str) -> None:
    assert found(RULES["word-in-wrong-type"], line(type=kind, content=content)) == ["SWA108"]


@pytest.mark.parametrize(
    "content",
    [
        line(type="task", content="ACK: BLOCKED: x"),
        line(content="[INFORM] ACK: x"),
        line(content='He wrote "content":"ACK: x" to me.'),
        line(type="task", content="BLOCKED: x"),
    ],
)
def test_a_word_inside_a_text_is_a_text(content: bytes) -> None:
    assert found(RULES["word-in-wrong-type"], content) == []


def test_an_unknown_handle_is_noted_once_with_the_nearest_one() -> None:
    content = line(to=["@programer"]) + line(to=["@programer"])
    source = Source(path=PATH, content=content, mount=MOUNT)

    (note,) = RULES["unknown-handle"].check(source, SPEC.parse(source), {})

    assert (note.place.line, note.message) == (1, "note: unknown handle @programer")
    assert note.fix == "did you mean @programmer?"


def test_the_mount_may_name_further_handles() -> None:
    mount = Mount(dialect="swarm", settings={"handles": "@ada bob"})

    assert found(RULES["unknown-handle"], line(to=["@ada", "@Bob"]), mount) == []
