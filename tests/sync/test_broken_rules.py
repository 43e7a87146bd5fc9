"""A line of a file that breaks a rule of work: it is kept, its author is told, and the log has it once."""

import re
from pathlib import Path

import pytest

from tests.sync.living import Place, read

GIVEN = "2026-02-22 01:15:32 JIM -> CLAWDY: [TASK:price] BTC price\n"
TAKEN = "2026-02-22 01:15:34 CLAWDY -> JIM: [ACK:price] Checking.\n"
NOT_HIS = "2026-02-22 01:15:35 JIM -> CLAWDY: [DONE:price] 64,000\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path / "bus")
    (found.folder / "pair").mkdir()
    chat = found.folder / "pair/chat.log"
    chat.touch()
    found.do(
        "mount", "add", "collab", str(chat.parent), "--name", "pair", "--set", "a=jim", "--set", "b=clawdy"
    )
    chat.write_text(GIVEN + TAKEN)
    found.do("sync", "--as", "ada")
    return found


def test_a_rule_that_a_line_breaks_is_an_event_with_its_line_for_a_cause_and_stands_once(
    place: Place,
) -> None:
    chat = place.folder / "pair/chat.log"
    with chat.open("a") as file:
        file.write(NOT_HIS)

    for _ in range(3):
        place.do("sync", "--as", "ada")
    place.do("rebuild", "--as", "ada")
    place.do("sync", "--as", "ada")

    [broken] = place.events("rule.broken")
    [line] = [event for event in place.events("mail.sent") if event.data.get("act") == "deliver"]
    assert broken.caused_by == line.event_id
    assert broken.data == {
        "rule": "no-effect",
        "task": "price",
        "agent": "jim",
        "act": "deliver",
        "message_id": line.data["message_id"],
        "why": "only its holder (clawdy) may deliver it",
    }
    assert read(chat).count("had no effect") == 1


def test_the_same_mistake_within_the_hour_is_one_event_and_another_one_a_second(place: Place) -> None:
    again = NOT_HIS.replace("01:15:35", "01:15:36").replace("64,000", "65,000")
    with (place.folder / "pair/chat.log").open("a") as file:
        file.write(NOT_HIS + again + again.replace("[DONE:price]", "[BLOCKED:price]"))

    place.do("sync", "--as", "ada")

    assert [event.data["act"] for event in place.events("rule.broken")] == ["deliver", "block"]


def test_a_command_that_breaks_it_is_refused_and_no_event(place: Place) -> None:
    refused = place.shell.run("task", "deliver", "price", "-m", "64,000", "--as", "jim")

    assert refused.code == 4, refused
    assert place.events("rule.broken") == []


def chat(place: Place, *lines: str) -> str:
    """Let the two write into their log, and the bus look; return what stands there then."""
    path = place.folder / "pair/chat.log"
    with path.open("a") as file:
        file.writelines(f"2026-02-22 01:16:00 {line}\n" for line in lines)
    place.do("sync", "--as", "ada")
    return read(path)


def set_talk(place: Place, word: str) -> None:
    config = place.folder / ".palaver/config.toml"
    config.write_text(read(config).replace('b = "clawdy"', f'b = "clawdy"\ntalk = "{word}"'))


# What is said in the chat log, the rule that it breaks, and what its author is told of it.
BREAKING = [
    ("CLAWDY -> JIM: [DONE:price] Done.", "result-on-close", "You closed price without its result"),
    ("CLAWDY -> JIM: [BLOCKED:price] blocked!", "reason-on-block", "You blocked price without a reason"),
    ("JIM -> CLAWDY: [TASK:news] Read them", "one-task-at-a-time", "You gave news to clawdy, who has price"),
]


@pytest.mark.parametrize(("line", "rule", "told"), BREAKING)
def test_a_line_that_breaks_a_rule_of_two_who_collaborate_is_kept_and_its_author_is_told_once(
    place: Place, line: str, rule: str, told: str
) -> None:
    text = chat(place, line)
    again = chat(place)

    assert line in text
    author = line.partition(" -> ")[0]
    assert re.findall(rf"PALAVER -> (\w+): {told}", text) == [author]
    assert again == text
    [broken] = place.events("rule.broken")
    assert broken.data["rule"] == rule


def test_a_task_for_who_waits_for_an_answer_is_kept_and_its_giver_is_told(place: Place) -> None:
    chat(place, "CLAWDY -> JIM: [DONE:price] BTC 64,000", "CLAWDY -> JIM: [QUESTION:auth] Which key?")

    text = chat(place, "JIM -> CLAWDY: [TASK:news] Read them")

    told = "You gave news to clawdy, who waits for an answer"
    assert re.findall(rf"PALAVER -> (\w+): {told}", text) == ["JIM"]
    [broken] = place.events("rule.broken")
    assert broken.data["rule"] == "answer-before-asking"


@pytest.mark.parametrize(("line", "rule", "told"), BREAKING)
def test_a_mount_may_ignore_what_its_lines_break(place: Place, line: str, rule: str, told: str) -> None:
    set_talk(place, "ignore")

    text = chat(place, line)

    assert told not in text
    assert [event.data["rule"] for event in place.events("rule.broken")] == [], rule


@pytest.mark.parametrize(("line", "rule", "told"), BREAKING)
def test_nobody_is_told_what_lines_broke_before_they_were_mounted(
    tmp_path: Path, line: str, rule: str, told: str
) -> None:
    place = Place(tmp_path / "bus")
    (place.folder / "old").mkdir()
    old = place.folder / "old/chat.log"
    old.write_text(GIVEN + TAKEN + NOT_HIS + f"2026-02-22 01:16:00 {line}\n")
    before = read(old)

    place.do("mount", "add", "collab", str(old.parent), "--set", "a=jim", "--set", "b=clawdy")
    place.do("sync", "--as", "ada")

    assert read(old).startswith(before), told
    assert read(old).removeprefix(before).count("were read for the first time") == 1
    assert read(old).count("\n") == before.count("\n") + 1
    assert place.events("rule.broken") == [], rule


def test_a_change_of_autonomy_by_who_does_not_lead_is_kept_and_both_sides_are_told(tmp_path: Path) -> None:
    place = Place(tmp_path / "bus")
    (place.folder / "t1").mkdir()
    channel = place.folder / "t1/channel.jsonl"
    channel.touch()
    place.do("mount", "add", "swarm", str(channel.parent), "--name", "t1")
    line = (
        '{"ts":"2026-01-25T23:45:00.000Z","from":"qa","to":["@programmer"],"type":"autonomy",'
        '"reasoning":"r","content":"AUTONOMY_UPDATE: programmer → autonomous."}\n'
    )
    channel.write_text(line)

    place.do("sync", "--as", "ada")
    place.do("sync", "--as", "ada")

    told = [row for row in read(channel).splitlines() if '"from":"palaver"' in row]
    assert ['"to":["@qa"]' in row for row in told].count(True) == 1
    assert ['"to":["@programmer"]' in row for row in told].count(True) == 1
    assert all("only td may change autonomy" in row for row in told)
    [broken] = place.events("rule.broken")
    assert broken.data["rule"] == "autonomy-not-from-lead"
