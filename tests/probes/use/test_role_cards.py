"""A role card that cannot be used is told, to doctor, to status and to an agent; nothing waits for it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Project

#: Seconds after which a command that waits for a FIFO is ended.
HANGS: Final = ("timeout", "--signal=KILL", "60")
CARD: Final = "roles/manager.json"


def text(content: str) -> Callable[[Path], None]:
    """Return what writes a card."""

    def write(card: Path) -> None:
        card.write_text(content)

    return write


def link(card: Path) -> None:
    target = card.parent.parent.parent / "elsewhere.json"
    target.write_text('{"employeeId": "emp-secret"}')
    card.symlink_to(target)


def long(card: Path) -> None:
    with card.open("wb") as file:
        file.write(b'{"employeeId": "emp-late"}')
        file.truncate(50_000_000)


#: What is in the place of the card, and a word of what is said about it.
BAD: Final = {
    "not JSON": (text("{bad"), "not a JSON object"),
    "a list": (text("[]"), "not a JSON object"),
    "no id": (text("{}"), "no employeeId"),
    "a number as id": (text('{"employeeId": 7}'), "no employeeId"),
    "a list as id": (text('{"employeeId": ["emp-a"]}'), "no employeeId"),
    "a path as id": (text('{"employeeId": "../../x"}'), "no employeeId"),
    "a model as id": (text('{"employeeId": "opus"}'), "name of a model"),
    "not UTF-8": (lambda card: card.write_bytes(b"\xff\xfe{\0}\0"), "not a JSON object"),
    "a folder": (Path.mkdir, "not a plain file"),
    "a FIFO": (os.mkfifo, "not a plain file"),
    "a link": (link, "symbolic link"),
    "50 MB": (long, "longer than"),
}


@pytest.fixture
def office(project: Project) -> Path:
    """Return the folder of an office whose manager is known."""
    folder = project.folder / "office"
    for each in ("messages", "roles"):
        (folder / each).mkdir(parents=True)
    (folder / "messages/employee-emp-a1.log").touch()
    (folder / "messages/manager-inbox.log").touch()
    return folder


def put_card(office: Path, kind: str) -> None:
    """Put something in the place of the card; nobody has written to it for long."""
    card = office / CARD
    BAD[kind][0](card)
    os.utime(card, (1, 1), follow_symlinks=False)


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_role_card_is_told_once_and_shown_as_long_as_it_is_bad(
    project: Project, office: Path, kind: str
) -> None:
    put_card(office, kind)
    mounted = project.run("mount", "add", "office", str(office), agent="ada", under=HANGS)
    for _ in range(2):
        project.run("sync", under=HANGS)

    examined, status = project.run("doctor", under=HANGS), project.run("status", under=HANGS)

    assert mounted.code == 0, mounted
    assert (examined.code, status.code) == (1, 0), (examined, status)
    [shown] = [line for line in examined.out.splitlines() if CARD in line]
    assert BAD[kind][1] in shown
    assert CARD in status.out
    found = [event for event in project.events("file.found") if CARD in json.dumps(event)]
    assert len(found) == 1
    told = [each for each in project.messages("manager.json") if each["from"] == "palaver"]
    assert len(told) == 1, told
    assert told[0]["to"] == ["ada"]
    assert "Write:" not in str(told[0])
    assert "emp-secret" not in examined.out + status.out


def test_a_card_that_goes_bad_is_told_to_the_manager_whom_it_named(project: Project, office: Path) -> None:
    (office / CARD).write_text('{"employeeId": "emp-boss"}')
    project.do("mount", "add", "office", str(office), agent="ada")
    project.sync()
    put_card(office, "not JSON")

    project.run("sync")

    [told] = [each for each in project.messages("manager.json") if each["from"] == "palaver"]
    assert told["to"] == ["emp-boss"]


@pytest.mark.parametrize("kind", ["not JSON", "a FIFO"])
def test_a_card_that_was_corrected_is_no_fault(project: Project, office: Path, kind: str) -> None:
    put_card(office, kind)
    project.do("mount", "add", "office", str(office), agent="ada")
    project.run("sync")
    (office / CARD).unlink()
    (office / CARD).write_text('{"employeeId": "emp-boss"}')

    project.sync()

    assert CARD not in project.run("doctor").out
    assert "emp-boss" in project.agents()


def test_a_good_card_and_none_are_no_fault(project: Project, office: Path) -> None:
    project.do("mount", "add", "office", str(office), agent="ada")
    without = project.run("doctor")
    (office / CARD).write_text('{"employeeId": "emp-boss"}')
    project.sync()

    assert (without.code, project.run("doctor").code) == (0, 0), without
