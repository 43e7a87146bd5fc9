"""What an answer is about: what the question was about, whether it says so or not."""

from pathlib import Path

import pytest

from palaver import Bus
from tests.bus.scene import bus_in
from tests.sync.living import Place


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    found = bus_in(tmp_path, "bob")
    found.open_task("Parser", task="parser", by="ada")
    found.open_task("Lexer", task="lexer", by="ada")
    return found


def test_an_answer_is_about_the_task_of_its_question(bus: Bus) -> None:
    asked = bus.send("bob", "Which grammar?", act="ask", task="parser").message.id

    answer = bus.reply(asked, "The second.", sender="bob").message

    assert (answer.act, answer.task) == ("answer", "parser")
    assert bus.task("parser").task.state == "open"


def test_an_answer_that_names_another_task_keeps_it(bus: Bus) -> None:
    asked = bus.send("bob", "Which grammar?", act="ask", task="parser").message.id

    answer = bus.send("ada", "See there.", sender="bob", act="answer", task="lexer", reply_to=asked).message

    assert answer.task == "lexer"


def test_what_is_no_answer_moves_no_task_that_it_does_not_name(bus: Bus) -> None:
    bus.move("parser", "assign", "Write it.", by="ada", to="bob")
    [mail] = bus.inbox("bob").mail

    bus.reply(mail.message.id, "Not now.", sender="bob", act="deliver")

    assert bus.task("parser").task.state == "assigned"


@pytest.mark.on_disk("other processes use the log")
def test_a_line_of_a_file_that_answers_is_about_the_task_of_the_question(tmp_path: Path) -> None:
    place = Place(tmp_path / "bus")
    office = place.mount("office")
    place.do("task", "open", "Parser", "--id", "parser", "--as", "ada")
    log = office / "messages/employee-emp-a1.log"
    log.write_text("[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | here\n")
    place.do("sync", "--as", "ada")
    place.do("send", "emp-manager-001", "-m", "Which?", "--act", "ask", "--task", "parser", "--as", "emp-a1")

    with (office / "messages/manager-inbox.log").open("a") as inbox:
        inbox.write("[2026-02-11T10:05:00Z] [REPLY] To emp-a1: The second.\n")
    place.do("sync", "--as", "ada")

    [answer] = [event.data for event in place.events("mail.sent") if event.data.get("act") == "answer"]
    assert (answer["body"], answer["task"]) == ("The second.", "parser")
