"""The manual page of every rule is true: its bad example is found, its good one is not."""

import re
import textwrap
from pathlib import Path

import pytest

from palaver.dialects.collab import rules
from palaver.dialects.collab.spec import SPEC
from palaver.model.mounted_files import LintRule, Mount, Source

EXAMPLE = r"(?m)^{} \((.*?)\):\n\n((?:    .*\n|\n)+)"
NAMED = {"a": "jim", "b": "clawdy", "person": "jeremy"}


def codes(content: str, path: str = "chat.log", settings: dict[str, str] | None = None) -> list[str]:
    """Return the codes of all rules, in the order of the lines."""
    mount = Mount(dialect="collab", settings=settings or {})
    source = Source(path=path, content=content.encode(), mount=mount)
    parsed = SPEC.parse(source)
    found = [finding for rule in SPEC.rules for finding in rule.check(source, parsed, {path: parsed})]
    return [finding.code for finding in sorted(found, key=lambda each: (each.place.line, each.code))]


def said(*texts: str) -> str:
    """Return a log in which CLAWDY says these things to JIM, a second each."""
    return "".join(f"2026-02-22 03:15:{n:02} CLAWDY -> JIM: {text}\n" for n, text in enumerate(texts))


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.code)
def test_the_examples_of_a_rule_are_what_they_say(rule: LintRule) -> None:
    examples = {}
    for kind in ("Bad", "Good"):
        match = re.search(EXAMPLE.format(kind), rule.manual)
        assert match is not None, f"{rule.code} has no {kind} example"
        examples[kind] = codes(textwrap.dedent(match[2]).strip("\n") + "\n", match[1])

    assert rule.code in examples["Bad"]
    assert rule.code not in examples["Good"]


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.code)
def test_the_good_example_of_a_rule_breaks_no_other_rule(rule: LintRule) -> None:
    match = re.search(EXAMPLE.format("Good"), rule.manual)
    assert match is not None

    found = codes(textwrap.dedent(match[2]).strip("\n") + "\n", match[1])

    # The protocol's own good example has no times and another arrow.
    assert set(found) <= ({"COL113"} if "→" in match[2] else set()), found


@pytest.mark.parametrize("rule", SPEC.rules, ids=lambda rule: rule.code)
def test_a_rule_is_listed_under_its_code_and_name(rule: LintRule) -> None:
    assert rule.manual.startswith(f"{rule.code} {rule.name}: ")


def test_a_rule_is_called_like_its_file() -> None:
    files = {path.stem for path in Path(rules.__path__[0]).glob("*.py")} - {"__init__"}

    assert {rule.name.replace("-", "_") for rule in SPEC.rules} == files


@pytest.mark.parametrize(
    "text", ["Done.", "done", "DONE!", "", "All done.", "Task is complete", "Finished :)", "ok", "It's done"]
)
def test_a_close_that_only_says_done_is_found(text: str) -> None:
    assert "COL104" in codes(said(f"[DONE:x] {text}".strip()))


@pytest.mark.parametrize(
    "text", ["BTC $94,230", "Done: 12 lines in report.md", "done in 3s", "42", "PID 7 is up"]
)
def test_a_close_with_a_result_is_not_found(text: str) -> None:
    assert "COL104" not in codes(said(f"[DONE:x] {text}"))


@pytest.mark.parametrize(
    "text", ["", "Blocked.", "I'm stuck", "failed", "cannot do it", "Can't complete this."]
)
def test_a_block_without_a_reason_is_found(text: str) -> None:
    assert "COL105" in codes(said(f"[BLOCKED:x] {text}".strip()))


@pytest.mark.parametrize("text", ["CoinGecko 429 rate limit", "No API key", "cannot reach kraken.com"])
def test_a_block_with_a_reason_is_not_found(text: str) -> None:
    assert "COL105" not in codes(said(f"[BLOCKED:x] {text}"))


def test_a_result_and_a_reason_stand_in_one_line() -> None:
    found = codes(said("[DONE:x] Two things:\none\ntwo", "[BLOCKED:y] No key\nand no password"))

    assert [code for code in found if code in ("COL104", "COL105")] == ["COL104", "COL105"]


@pytest.mark.parametrize(
    "text", ["Please restart it", "Could you look at bot.log", "Check on the bot", "Which key should I use?"]
)
def test_a_request_or_a_question_without_a_tag_is_found(text: str) -> None:
    assert "COL106" in codes(said(text))


def test_what_the_person_wants_needs_no_tag() -> None:
    log = "2026-02-22 04:00:00 JEREMY -> CLAWDY: pause the bot overnight\n"

    assert codes(log, settings=NAMED) == []
    assert codes("2026-02-22 04:00:00 JEREMY -> TEAM: pause the bot overnight\n") == []


def test_an_answer_in_plain_words_is_no_request() -> None:
    log = (
        "2026-02-22 03:15:44 CLAWDY -> JIM: [QUESTION:auth] Which API key should I use for Kraken?\n"
        "2026-02-22 03:15:46 JIM -> CLAWDY: Use the read-only one\n"
        "2026-02-22 03:15:48 JIM -> CLAWDY: Use the other one\n"
    )

    assert codes(log) == ["COL106"]


def test_a_skipped_task_does_not_hang_and_a_retried_one_does() -> None:
    given = "2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:x] Get BTC\n"

    assert codes(given + said("[SKIP:x] took 60 s")) == []
    assert codes(given + said("[BLOCKED:x] 429") + "2026-02-22 03:16:44 JIM -> CLAWDY: [RETRY:x]\n") == [
        "COL103"
    ]


def test_a_task_of_one_agent_does_not_stop_the_other() -> None:
    log = (
        "2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:x] Get BTC\n"
        "2026-02-22 03:15:45 CLAWDY -> JIM: [TASK:y] Get ETH\n"
        "2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:x] $94,230\n"
        "2026-02-22 03:15:47 JIM -> CLAWDY: [DONE:y] $3,230\n"
    )

    assert codes(log) == []


def test_a_question_is_closed_by_who_asked_it_when_its_task_ends() -> None:
    log = (
        "2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:x] Get BTC\n"
        "2026-02-22 03:15:45 CLAWDY -> JIM: [QUESTION:x] In which currency?\n"
        "2026-02-22 03:15:46 CLAWDY -> JIM: [DONE:x] $94,230\n"
        "2026-02-22 03:15:47 JIM -> CLAWDY: [TASK:y] Get ETH\n"
        "2026-02-22 03:15:48 CLAWDY -> JIM: [DONE:y] $3,230\n"
    )

    assert codes(log) == []


def test_a_stranger_is_found_where_the_mount_names_its_own() -> None:
    log = "2026-02-22 03:15:44 BOB -> CLAWDY: hello\n2026-02-22 03:15:45 B -> A: hello\n"

    assert codes(log, settings=NAMED) == ["COL111"]
    assert codes(log, settings={**NAMED, "others": "qa, bob"}) == []


def test_a_task_dropped_into_the_inbox_can_be_closed_in_the_log() -> None:
    mount = Mount(dialect="collab")
    drop = Source(path="inbox/msg_1771730144123456789.txt", content=b"[TASK:x] Get BTC\n", mount=mount)
    log = Source(path="chat.log", content=said("[DONE:x] $94,230").encode(), mount=mount)
    together = {each.path: SPEC.parse(each) for each in (drop, log)}

    found = [f for rule in SPEC.rules for f in rule.check(log, together["chat.log"], together)]

    assert found == []
