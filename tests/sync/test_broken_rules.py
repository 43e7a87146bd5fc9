"""A line of a file that breaks a rule of work: it is kept, both sides hear of it, and the log has it once."""

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


def test_a_second_line_that_breaks_it_is_a_second_event(place: Place) -> None:
    with (place.folder / "pair/chat.log").open("a") as file:
        file.write(NOT_HIS + NOT_HIS.replace("01:15:35", "01:15:36").replace("64,000", "65,000"))

    place.do("sync", "--as", "ada")

    causes = [event.caused_by for event in place.events("rule.broken")]
    assert len(causes) == len(set(causes)) == 2


def test_a_command_that_breaks_it_is_refused_and_no_event(place: Place) -> None:
    refused = place.shell.run("task", "deliver", "price", "-m", "64,000", "--as", "jim")

    assert refused.code == 4, refused
    assert place.events("rule.broken") == []
