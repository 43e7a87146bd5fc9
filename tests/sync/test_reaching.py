"""Whom a line reaches that was written into a file, and what stands in theirs because of it."""

import json
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus
from palaver.sync.mounts.mount_operations import add_mount
from palaver.sync.passes import Sync
from palaver.wiring import begin
from tests.patience import PATIENCE

AT: Final = "2026-02-11T10:00:00Z"


class Teams:
    """An office and a swarm, with a bus behind them."""

    def __init__(self, folder: Path) -> None:
        begin(str(folder), "ada")
        self.bus = Bus(str(folder), agent="ada")
        self.messages = folder / "office" / "messages"
        self.channel = folder / "swarm" / "channel.jsonl"
        self.messages.mkdir(parents=True)
        self.channel.parent.mkdir()
        self.write("manager-inbox.log", "")
        self.write("employee-emp-a1.log", "")
        self.write("employee-emp-b2.log", "")
        for name in ("office", "swarm"):
            add_mount(self.bus.session, name, str(folder / name))
        self.sync = Sync(self.bus.session)
        self.settle()

    def write(self, name: str, line: str) -> None:
        with (self.messages / name).open("a") as log:
            log.write(f"[{AT}] {line}\n" if line else "")

    def shout(self, sender: str, to: str, kind: str, content: str) -> None:
        fields = {
            "ts": AT,
            "from": sender,
            "to": [f"@{to}"],
            "type": kind,
            "reasoning": "r",
            "content": content,
        }
        with self.channel.open("a") as channel:
            channel.write(json.dumps(fields) + "\n")

    def settle(self) -> None:
        for _ in range(3):
            assert self.sync.once(PATIENCE) is not None

    @property
    def inbox(self) -> str:
        return (self.messages / "manager-inbox.log").read_text()


@pytest.fixture
def teams(tmp_path: Path) -> Teams:
    return Teams(tmp_path)


def test_what_a_manager_says_to_all_stands_in_the_files_of_other_teams(teams: Teams) -> None:
    teams.write("manager-inbox.log", "[INSTRUCTION] To all: Version 1.2 is out.")

    teams.settle()

    assert "Version 1.2 is out." in teams.channel.read_text()


def test_what_a_manager_says_to_nobody_in_particular_stays_in_the_office(teams: Teams) -> None:
    teams.write("manager-inbox.log", "[WAKE] The board has changed.")

    teams.settle()

    assert not teams.channel.exists()


def test_what_a_worker_says_to_a_stranger_is_not_copied_into_the_managers_inbox(teams: Teams) -> None:
    teams.write("employee-emp-a1.log", "[INFO] by: emp-a1 | @td Which port?")

    teams.settle()

    assert "Which port?" in teams.channel.read_text()
    assert teams.inbox == ""


def test_what_a_worker_says_to_a_worker_stands_in_the_managers_inbox(teams: Teams) -> None:
    teams.write("employee-emp-a1.log", "[INFO] by: emp-a1 | @emp-b2 Which port?")

    teams.settle()

    assert "To emp-b2: [ASK] @emp-b2 Which port?" in teams.inbox


def test_a_delivery_reaches_whoever_gave_the_task(teams: Teams) -> None:
    teams.shout("td", "emp-a1", "task", "Task #7: go")
    teams.settle()
    teams.write("employee-emp-a1.log", "[DELIVERY] task-7 | by: emp-a1 | files: a.py | criteria-met: all")

    teams.settle()

    [delivered] = [each for each in teams.bus.inbox("td").mail if each.message.act == "deliver"]
    assert delivered.message.task == "7"
    assert '"[DELIVER:#7]"' in teams.channel.read_text()


def test_a_delivery_of_another_task_does_not_reach_him(teams: Teams) -> None:
    teams.shout("td", "emp-a1", "task", "Task #7: go")
    teams.settle()
    teams.write("employee-emp-a1.log", "[DELIVERY] task-8 | by: emp-a1 | files: a.py | criteria-met: all")

    teams.settle()

    assert teams.bus.inbox("td").mail == []


def test_a_delivery_to_somebody_who_has_left_is_still_good(teams: Teams) -> None:
    teams.shout("critic", "emp-a1", "task", "[ASSIGN:#7] go")
    teams.settle()
    teams.bus.retire_agent("critic")
    teams.write("employee-emp-a1.log", "[DELIVERY] task-7 | by: emp-a1 | files: a.py | criteria-met: all")

    teams.settle()

    [delivered] = teams.bus.inbox("emp-manager-001").mail
    assert delivered.message.to == ["emp-manager-001"]
    assert not delivered.message.undeliverable


def test_what_the_bus_only_assumes_stands_in_nobodys_file(teams: Teams) -> None:
    teams.write("employee-emp-a1.log", "[INFO] by: emp-a1 | @td Which port?")
    teams.settle()
    teams.shout("td", "emp-a1", "message", "[ANSWER] 8080")

    teams.settle()

    [answer] = teams.bus.inbox("emp-a1").mail
    assert answer.message.meta == {"assumed": "reply_to"}
    assert "To emp-a1: 8080 (palaver from=td re=" in teams.inbox
    assert "assumed" not in teams.inbox


def test_bytes_that_cannot_be_read_move_no_agent_from_its_home(tmp_path: Path) -> None:
    teams = Teams(tmp_path)
    teams.write("employee-emp-a1.log", "[INFO] by: emp-a1 | I am here")
    teams.settle()
    with teams.channel.open("a") as channel:
        channel.write('{"ts":"2026-02-11T10:00:00Z","from":"emp-a1","to":["@td"],"con\n')
    teams.settle()

    assert teams.bus.session.view.current().roster().agents["emp-a1"].homes == ["office"]
