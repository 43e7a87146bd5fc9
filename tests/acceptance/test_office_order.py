"""Lines of several files that one pass finds count in the order of their own timestamps."""

import json
from pathlib import Path

import pytest

from tests.acceptance.daemon import SHORT_WAIT, run_daemon, wait_until
from tests.acceptance.lines import MANAGER, approval, claim, delivery, done, info, minute
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, create_folder, mount_team

CARD = {
    "id": "task-004",
    "title": "Home Page",
    "description": "The first page.",
    "difficulty": 3,
    "dependencies": [],
    "assignee": "",
    "status": "Ready",
    "approval": {"required": True, "approved": False, "approvedBy": "", "approvedAt": ""},
    "logs": [],
}

#: A whole life of a task, as worker and manager write it: author and line.
LIFE = (
    ("emp-a1", claim("004", "emp-a1", minute(0))),
    (MANAGER, approval("004", "emp-a1", minute(5))),
    ("emp-a1", delivery("004", "emp-a1", minute(9))),
    (MANAGER, done("004", "emp-a1", minute(10))),
)


def open_office(project: Project) -> Team:
    """Mount an office with one task that can be claimed."""
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", agent=MANAGER)
    return team


def state(project: Project) -> tuple[object, object]:
    task = project.task("004")
    return task.get("state"), task.get("holder")


def test_a_task_lives_from_its_claim_to_done_line_by_line(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent=MANAGER)

    states = []
    for author, line in LIFE:
        team.append(author, line)
        states.append(project.task("004")["state"])

    assert states == ["claimed", "working", "delivered", "done"]
    assert team.told("emp-a1") == []


def test_claim_approval_and_delivery_of_one_pass_count_in_the_order_of_their_times(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent=MANAGER)
    for author, line in LIFE[:3]:
        team.append(author, line)

    project.sync()

    assert state(project) == ("delivered", "emp-a1")
    assert team.told("emp-a1") == []


def test_the_earlier_of_two_claims_wins_in_whichever_file_it_stands(project: Project) -> None:
    team = open_office(project)
    team.append("emp-a1", claim("004", "emp-a1", minute(10)))
    team.append("emp-b2", claim("004", "emp-b2", minute(0)))

    project.sync()

    assert state(project) == ("working", "emp-b2")
    assert any("[REJECT] task-004 claim by emp-a1" in line for line in team.told("emp-a1"))


def test_the_earlier_of_two_claims_wins_in_the_first_file(project: Project) -> None:
    team = open_office(project)
    team.append("emp-a1", claim("004", "emp-a1", minute(0)))
    team.append("emp-b2", claim("004", "emp-b2", minute(10)))

    project.sync()

    assert state(project) == ("working", "emp-a1")
    assert any("[REJECT] task-004 claim by emp-b2" in line for line in team.told("emp-b2"))


def test_the_earlier_claim_wins_when_the_running_bus_finds_both(project: Project) -> None:
    team = open_office(project)
    team.append("emp-a1", claim("004", "emp-a1", minute(10)))
    team.append("emp-b2", claim("004", "emp-b2", minute(0)))

    with run_daemon(project):
        wait_until(lambda: project.bus_lines(team.read), SHORT_WAIT)

    assert any("[REJECT] task-004 claim by emp-a1" in line for line in team.told("emp-a1"))


HELLO = info("emp-a1", "I am here.", minute(5))
WITHOUT_TIME = claim("004", "emp-a1", "x").removeprefix("[x] ")


@pytest.mark.parametrize(
    "second",
    [pytest.param(WITHOUT_TIME, id="no-time"), pytest.param(claim("004", "emp-a1", minute(0)), id="back")],
)
def test_a_missing_or_backward_time_counts_as_that_of_the_line_before(project: Project, second: str) -> None:
    team = open_office(project)
    team.append("emp-a1", HELLO, second)
    team.append("emp-b2", claim("004", "emp-b2", minute(3)))

    assert state(project) == ("working", "emp-b2")


def test_a_time_in_the_future_counts_as_that_of_the_line_before(project: Project) -> None:
    team = open_office(project)
    team.append("emp-a1", claim("004", "emp-a1", minute(3)))
    hello = info("emp-b2", "I am here.", minute(1))
    team.append("emp-b2", hello, claim("004", "emp-b2", "2099-02-11T10:00:00Z"))

    assert state(project) == ("working", "emp-b2")


def test_lines_of_one_file_are_never_reordered(project: Project) -> None:
    team = open_office(project)
    lines = [info("emp-a1", f"wombat {each}", minute(9 - each)) for each in range(4)]

    team.append("emp-a1", *lines)

    # The bus tells emp-a1 that the times go back.
    said = [message for message in reversed(project.messages("wombat")) if message["from"] == "emp-a1"]
    bodies = [message["body"] for message in said]
    assert bodies == [f"wombat {each}" for each in range(4)]


# --- a finished history ---


def board(folder: Path) -> list[dict[str, object]]:
    """Return what board.json says of each task: its id, its status and who has it."""
    cards = json.loads((folder / "board.json").read_text())["cards"]
    return [{key: card[key] for key in ("taskId", "status", "assignee")} for card in cards]


def create_with_card(project: Project) -> Path:
    folder = create_folder(project, "office")
    (folder / "tasks").mkdir()
    (folder / "tasks/task-004.json").write_text(json.dumps(CARD))
    return folder


def test_a_live_office_ends_with_the_task_on_done(project: Project) -> None:
    folder = create_with_card(project)
    project.do("mount", "add", "office", str(folder))
    team = Team(project, "office", folder)

    for author, line in LIFE:
        team.say(author, line)

    assert board(folder) == [{"taskId": "task-004", "status": "Done", "assignee": "emp-a1"}]


def test_a_finished_history_ends_with_the_same_board_as_live(project: Project) -> None:
    folder = create_with_card(project)
    team = Team(project, "office", folder)
    for author, line in LIFE:
        team.append(author, line)

    project.do("mount", "add", "office", str(folder))

    assert board(folder) == [{"taskId": "task-004", "status": "Done", "assignee": "emp-a1"}]
