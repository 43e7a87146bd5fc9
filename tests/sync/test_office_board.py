"""`board.json`, `tasks/*.json`, `timeline.log` and `manager-inbox.log` of an office always agree."""

import json
import random
import time
from pathlib import Path
from typing import Final

import pytest

from palaver.dialects import spec
from tests.sync.living import Up
from tests.sync.scene import Scene, append, left_alone

KILLS: Final = 8
CLAIM: Final = (
    "[2026-02-11T10:00:00Z] [CLAIM] task-{0} | title: T | by: {1} | difficulty: 3 | deps-met: yes\n"
)
INBOX: Final = "messages/manager-inbox.log"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "project")


def office(scene: Scene, cards: dict[str, dict[str, object]] | None = None, **settings: str) -> Path:
    """Mount an office that has these cards."""
    folder = scene.folder / "office"
    (folder / "messages").mkdir(parents=True)
    (folder / "tasks").mkdir()
    for name, fields in (cards or {}).items():
        (folder / f"tasks/{name}.json").write_text(json.dumps({"id": name, **fields}))
    for agent in ("emp-a", "emp-b"):
        (folder / f"messages/employee-{agent}.log").touch()
    return scene.mount("office", manager="boss", **settings)


def card(folder: Path, name: str) -> dict[str, object]:
    found = json.loads((folder / f"tasks/{name}.json").read_text())
    assert isinstance(found, dict)
    return found


def column(folder: Path) -> dict[str, str]:
    return {
        each["taskId"]: each["status"] for each in json.loads((folder / "board.json").read_text())["cards"]
    }


def timeline(folder: Path) -> list[str]:
    lines = (folder / "timeline.log").read_text().splitlines()
    return [" | ".join(line.split(" | ")[1:4]) for line in lines]


def agree(scene: Scene, folder: Path) -> None:
    """Check that cards and board say of every task what the bus says."""
    cards = {f"task-{each.task.id}": each for each in scene.bus.tasks()}
    assert {path.stem for path in (folder / "tasks").glob("*.json")} == set(cards)
    for name, each in cards.items():
        word = spec("office").statuses.word(each.task.state, ready=not each.waits_for)
        assert card(folder, name)["status"] == word
        assert card(folder, name)["assignee"] == (each.task.holder if each.task.state != "claimed" else "")
        assert column(folder)[name] == word.replace("Rework", "In Progress")
    assert set(column(folder)) == set(cards)


def test_a_task_that_is_opened_by_the_api_has_its_card_when_the_call_returns(scene: Scene) -> None:
    folder = office(scene, board="ours")
    scene.bus.open_task("Home page", task="004")
    assert card(folder, "task-004")["title"] == "Home page"
    scene.bus.change_task("004", title="Start page")
    assert card(folder, "task-004")["title"] == "Start page"


def test_a_folder_without_a_board_gets_none(scene: Scene) -> None:
    folder = scene.mount("office", manager="boss")
    scene.bus.open_task("Home page", task="004")
    scene.settle()

    assert sorted(each.name for each in folder.iterdir()) == ["messages"]


def test_a_mount_that_says_so_gets_one(scene: Scene) -> None:
    folder = scene.mount("office", manager="boss", board="ours")
    scene.bus.open_task("Home page", task="004", difficulty=3)
    scene.settle()

    agree(scene, folder)
    assert card(folder, "task-004")["difficulty"] == 3
    assert timeline(folder) == ["ada | Created | task-004"]


def test_a_mount_that_says_theirs_is_left_alone(scene: Scene) -> None:
    folder = office(scene, {"task-001": {"title": "T", "status": "Ready"}}, board="theirs")
    scene.settle()

    assert not (folder / "board.json").exists()
    assert scene.bus.tasks() == []


def test_cards_that_stand_there_are_taken_in_with_all_that_they_say(scene: Scene) -> None:
    folder = office(
        scene,
        {
            "task-001": {"title": "Scaffold", "difficulty": 2, "status": "Done", "assignee": "emp-a"},
            "task-002": {
                "title": "Home",
                "description": "The page.",
                "difficulty": 3,
                "dependencies": ["task-001"],
                "restrictedAssignee": "emp-b",
                "status": "Ready",
                "assignee": "",
                "acceptanceCriteria": ["it loads"],
            },
            "task-003": {"title": "Docs", "dependencies": ["task-002"], "status": "New", "assignee": ""},
        },
    )

    two = scene.bus.task("002")
    assert (two.task.title, two.task.about, two.task.difficulty) == ("Home", "The page.", 3)
    assert (two.task.restricted, two.task.owner, two.task.approval) == ("emp-b", "boss", True)
    assert two.ready
    assert scene.bus.task("001").task.state == "done"
    assert scene.bus.task("003").waits_for == ["002"]
    agree(scene, folder)
    assert card(folder, "task-002")["acceptanceCriteria"] == ["it loads"]
    assert card(folder, "task-003")["concurrencyLayer"] == 2
    assert scene.mail() == []


def test_a_board_alone_is_taken_in_too(scene: Scene) -> None:
    folder = scene.folder / "office"
    (folder / "messages").mkdir(parents=True)
    cards = [{"taskId": "task-001", "title": "T", "difficulty": 2, "status": "Ready", "notes": "mine"}]
    (folder / "board.json").write_text(json.dumps({"columns": ["New", "Ready"], "cards": cards, "x": 1}))
    scene.mount("office", manager="boss")

    found = json.loads((folder / "board.json").read_text())
    assert scene.bus.task("001").task.title == "T"
    assert (found["x"], found["columns"], found["cards"][0]["notes"]) == (1, ["New", "Ready"], "mine")
    agree(scene, folder)


def test_the_way_of_a_task_through_the_office(scene: Scene) -> None:
    folder = office(
        scene,
        {
            "task-001": {"title": "One", "status": "Ready", "difficulty": 3},
            "task-002": {"title": "Two", "status": "New", "dependencies": ["task-001"]},
        },
    )
    append(folder / "messages/employee-emp-a.log", CLAIM.format("001", "emp-a").encode())
    append(folder / "messages/employee-emp-b.log", CLAIM.format("001", "emp-b").encode())
    scene.settle()
    agree(scene, folder)
    assert column(folder) == {"task-001": "Ready", "task-002": "New"}

    append(
        folder / INBOX,
        b"[2026-02-11T10:01:00Z] [APPROVAL] task-001 approved for emp-a. Status: In Progress.\n",
    )
    scene.settle()
    agree(scene, folder)
    assert card(folder, "task-001")["assignee"] == "emp-a"
    approval = card(folder, "task-001")["approval"]
    assert isinstance(approval, dict)
    assert approval["approved"] is True

    delivery = "[2026-02-11T10:05:00Z] [DELIVERY] task-001 | by: emp-a | files: a.py | criteria-met: all\n"
    append(folder / "messages/employee-emp-a.log", delivery.encode())
    append(folder / INBOX, b"[2026-02-11T10:06:00Z] [DONE] task-001 marked Done. Delivered by emp-a.\n")
    scene.settle()

    agree(scene, folder)
    assert column(folder) == {"task-001": "Done", "task-002": "Ready"}
    assert timeline(folder) == [
        "palaver | Created | task-001",
        "palaver | Created | task-002",
        "emp-a | Claimed | task-001",
        "emp-b | Conflict | task-001",
        "boss | Approved | task-001",
        "emp-a | Delivered | task-001",
        "boss | Done | task-001",
    ]


def test_a_manager_who_edits_card_and_inbox_is_understood_once(scene: Scene) -> None:
    folder = office(scene, {"task-001": {"title": "One", "status": "Ready"}})
    append(folder / "messages/employee-emp-a.log", CLAIM.format("001", "emp-a").encode())
    scene.settle()
    path = folder / "tasks/task-001.json"

    path.write_text(json.dumps({**card(folder, "task-001"), "status": "In Progress", "assignee": "emp-a"}))
    scene.settle()
    append(
        folder / INBOX,
        b"[2026-02-11T10:01:00Z] [APPROVAL] task-001 approved for emp-a. Status: In Progress.\n",
    )
    scene.settle()

    assert scene.bus.task("001").task.state == "working"
    assert scene.notices() == []
    agree(scene, folder)


def test_a_card_that_is_added_or_changed_by_hand_counts(scene: Scene) -> None:
    folder = office(scene, {"task-001": {"title": "One", "status": "Ready"}})
    new = {"id": "task-007", "title": "Seven", "status": "Ready", "difficulty": 4}
    (folder / "tasks/task-007.json").write_text(json.dumps(new))
    scene.settle()
    path = folder / "tasks/task-001.json"
    path.write_text(json.dumps({**card(folder, "task-001"), "title": "Another", "difficulty": 5}))
    scene.settle()

    assert scene.bus.task("007").task.difficulty == 4
    assert (scene.bus.task("001").task.title, scene.bus.task("001").task.difficulty) == ("Another", 5)
    agree(scene, folder)


def test_a_board_and_a_card_that_are_deleted_come_back(scene: Scene) -> None:
    folder = office(scene, {"task-001": {"title": "One", "status": "Ready"}})
    (folder / "board.json").unlink()
    (folder / "tasks/task-001.json").unlink()

    scene.settle()

    agree(scene, folder)
    assert len(scene.events("task.opened")) == 1


def test_a_card_that_is_half_written_waits_and_is_kept_if_it_stays_so(scene: Scene) -> None:
    folder = office(scene, {"task-001": {"title": "One", "status": "Ready"}})
    path = folder / "tasks/task-001.json"
    path.write_text('{"id": "task-001", "ti')
    scene.sync()
    assert path.read_text() == '{"id": "task-001", "ti'

    left_alone(path)
    scene.settle()

    agree(scene, folder)
    assert len(scene.events("file.quarantined")) == 1


def test_kills_leave_all_in_agreement_and_the_timeline_says_everything_once(scene: Scene) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    folder = office(scene, {"task-000": {"title": "One", "status": "Ready"}})
    scene.bus.add_agent("emp-c")
    for number in range(KILLS):
        daemon = Up(scene.folder, "--quiet")
        scene.bus.open_task(f"Task {number}", task=f"{number + 1:03}")
        scene.bus.claim(f"{number + 1:03}", by="emp-c")
        time.sleep(dice.uniform(0.0, 0.4))
        daemon.kill()
        daemon.close()
    scene.restart()
    scene.settle()

    agree(scene, folder)
    told = timeline(folder)
    assert len(told) == len(set(told)) == 1 + 2 * KILLS, f"seed {seed}"
    assert len(scene.mail()) == KILLS, f"seed {seed}: nothing that we wrote came back as a move"
