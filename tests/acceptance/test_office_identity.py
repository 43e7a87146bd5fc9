"""An employeeId is the only name of an employee, and a task has one id however it is written."""

import json
import re
from pathlib import Path

import pytest

from tests.acceptance.daemon import run_daemon, wait_until
from tests.acceptance.lines import MANAGER, approval, claim, delivery, heartbeat, info, minute, reply
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, create_folder, mount_team

# --- model names ---


def test_the_owner_of_the_log_speaks_where_a_line_names_a_model(project: Project) -> None:
    team = mount_team(project, "office")

    team.append("emp-a1", info("gpt-4o", "The wombat API uses port 8080."))

    # The bus quotes the words where it tells emp-a1 the right line.
    assert {message["from"] for message in project.messages("wombat")} - {"palaver"} == {"emp-a1"}


def test_a_claim_that_names_a_model_is_the_claim_of_the_owner_of_the_log(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", agent=MANAGER)

    team.append("emp-a1", claim("004", "claude-opus-4"))

    assert project.task("004")["holder"] == "emp-a1"


@pytest.mark.parametrize(
    ("author", "line"),
    [
        pytest.param("emp-a1", info("gpt-4o", "Hello."), id="in-a-line"),
        pytest.param("gpt-4o", info("gpt-4o", "Hello."), id="as-a-file"),
        pytest.param(MANAGER, reply("gpt-4o", "Hello."), id="as-a-recipient"),
        pytest.param(MANAGER, approval("004", "gpt-4o"), id="as-an-assignee"),
    ],
)
def test_a_model_never_becomes_an_agent(project: Project, author: str, line: str) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", agent=MANAGER)

    team.append(author, line)

    assert "gpt-4o" not in project.agents()


def test_the_owner_of_the_log_is_told_to_use_the_employee_id(project: Project) -> None:
    team = mount_team(project, "office")

    team.say("emp-a1", info("gpt-4o", "The API uses port 8080."))

    assert any("by: emp-a1 | The API uses port 8080." in told for told in team.told("emp-a1"))
    assert not any("employee-gpt-4o.log" in told for told in team.told("emp-a1"))


# --- names that nobody knows ---


def test_a_misspelt_name_in_a_log_makes_no_agent(project: Project) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", info("emp-a1", "I am here."))

    team.say("emp-a1", info("emp-a11", "The wombat API uses port 8080.", minute(1)))

    assert "emp-a11" not in project.agents()
    assert {message["from"] for message in project.messages("wombat")} - {"palaver"} == {"emp-a1"}


def test_the_first_line_of_a_log_may_misspell_its_owner(project: Project) -> None:
    team = mount_team(project, "office")

    team.say("emp-a1", info("emp-a11", "The wombat API uses port 8080."))

    assert "emp-a11" not in project.agents()
    assert {message["from"] for message in project.messages("wombat")} - {"palaver"} == {"emp-a1"}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (info("emp-a11", "Port 8080."), info("emp-a1", "Port 8080.")),
        (claim("004", "emp-a11"), claim("004", "emp-a1")),
        (heartbeat("emp-a11", "004"), heartbeat("emp-a1", "004")),
        (delivery("004", "emp-a11"), delivery("004", "emp-a1")),
    ],
    ids=["info", "claim", "heartbeat", "delivery"],
)
def test_the_owner_of_the_log_is_told_the_line_with_its_own_name(
    project: Project, wrong: str, right: str
) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", info("emp-a1", "I am here."))
    project.do("task", "open", "Home Page", "--id", "004", "--difficulty", "3", agent=MANAGER)

    team.say("emp-a1", wrong)

    line = right.partition("] ")[2]
    assert any(f"rite: [<ISO timestamp>] {line}" in told for told in team.told("emp-a1"))
    assert "emp-a11" in project.do("继续检查看板").out
    assert not any("employee-emp-a11.log" in told for told in team.told("emp-a1"))
    assert "emp-a11" not in project.agents()


def test_a_claim_that_misspells_its_author_is_the_claim_of_the_owner_of_the_log(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", agent=MANAGER)

    team.say("emp-a1", claim("004", "emp-a11"))

    assert project.task("004")["holder"] == "emp-a1"
    assert any("It counted" in told for told in team.told("emp-a1"))


def test_a_line_that_was_read_as_it_was_meant_need_not_be_written_again(project: Project) -> None:
    team = mount_team(project, "office")

    team.say("emp-a1", info("emp-a11", "Port 8080."))

    assert any("It counted; next time write: " in told for told in team.told("emp-a1"))


def test_a_line_by_another_employee_stays_misfiled(project: Project) -> None:
    team = mount_team(project, "office")
    team.say("emp-b2", info("emp-b2", "I am here."))
    project.do("task", "open", "Home Page", "--id", "004", agent=MANAGER)

    team.say("emp-a1", claim("004", "emp-b2"))

    assert not project.task("004")["holder"]
    assert any("employee-emp-b2.log" in told for told in team.told("emp-b2"))


@pytest.mark.parametrize("mounted", ["log", "folder"])
def test_lint_says_of_a_misspelt_name_what_the_bus_does(project: Project, mounted: str) -> None:
    team = mount_team(project, "office")
    team.say("emp-b2", info("emp-b2", "I am here."))
    team.say("emp-a1", info("emp-a11", "Port 8080."), info("emp-b2", "Port 8081.", minute(1)))

    path = team.folder if mounted == "folder" else team.write("emp-a1")
    found = project.run("lint", str(path)).out

    assert re.findall(r"employee-emp-a1.log:(\d): (OFF1\d\d)", found) == [("1", "OFF115"), ("2", "OFF104")]
    assert "[INFO] by: emp-a1 | Port 8080." in found


def test_lint_needs_no_bus_to_find_a_misspelt_name(project: Project) -> None:
    messages = project.folder / "elsewhere/messages"
    project.append(messages / "employee-emp-b2.log", info("emp-b2", "I am here."))
    project.append(messages / "employee-emp-a1.log", info("emp-a11", "Port 8080."), info("emp-b2", "8081."))

    found = project.run("lint", str(messages)).out

    assert re.findall(r"log:(\d): (OFF1\d\d)", found) == [("1", "OFF115"), ("2", "OFF104")]


# --- the manager ---


def create_with_role(project: Project) -> Team:
    """Mount an office whose role card names its manager."""
    folder = create_folder(project, "office")
    write_card(folder, "manager-007")
    project.do("mount", "add", "office", str(folder))
    return Team(project, "office", folder)


def test_the_role_card_names_the_manager(project: Project) -> None:
    team = create_with_role(project)

    project.append(team.read, reply("all", "wombat, begin."))

    assert [message["from"] for message in project.messages("wombat")] == ["manager-007"]


def test_the_manager_of_the_role_card_approves_in_the_inbox(project: Project) -> None:
    team = create_with_role(project)
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent="manager-007")
    team.say("emp-a1", claim("004", "emp-a1"))

    project.append(team.read, approval("004", "emp-a1", minute(1)))

    assert project.task("004")["state"] == "working"


def test_the_setting_of_the_mount_names_the_manager(project: Project) -> None:
    folder = mount_team(project, "office", "manager=manager-007").folder

    project.append(folder / "messages/manager-inbox.log", reply("all", "wombat, begin."))

    assert [message["from"] for message in project.messages("wombat")] == ["manager-007"]


def write_card(folder: Path, manager: str) -> None:
    """Put the role card of a manager into the folder of an office."""
    card = folder / "roles/manager.json"
    card.parent.mkdir(exist_ok=True)
    card.write_text(
        json.dumps({"modelType": "claude", "employeeId": manager, "title": "Manager", "level": 5})
    )


def test_a_role_card_that_appears_after_the_mount_names_the_manager(project: Project) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", info("emp-a1", "I am here."))

    write_card(team.folder, "manager-007")
    project.append(team.read, reply("emp-a1", "wombat, begin."))

    assert [message["from"] for message in project.messages("wombat")] == ["manager-007"]
    # The manager by default has done nothing.
    assert MANAGER not in project.agents()
    assert project.run("继续检查看板").code == 0


def test_a_role_card_that_changes_names_another_manager(project: Project) -> None:
    team = create_with_role(project)
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent="manager-007")
    team.say("emp-a1", claim("004", "emp-a1"))

    write_card(team.folder, "manager-008")
    project.say(team.read, approval("004", "emp-a1", minute(1)))

    assert project.task("004")["state"] == "working"
    assert "manager-007" in project.agents(), "it owns a task"


def test_a_role_card_that_appears_is_followed_by_the_running_bus(project: Project) -> None:
    team = mount_team(project, "office")
    with run_daemon(project):
        write_card(team.folder, "manager-007")
        project.append(team.read, reply("all", "wombat, begin."))

        assert wait_until(lambda: project.messages("wombat"))

    assert [message["from"] for message in project.messages("wombat")] == ["manager-007"]


def test_a_setting_is_stronger_than_the_role_card(project: Project) -> None:
    team = mount_team(project, "office", "manager=manager-009")

    write_card(team.folder, "manager-007")
    project.append(team.read, reply("all", "wombat, begin."))

    assert [message["from"] for message in project.messages("wombat")] == ["manager-009"]


@pytest.mark.parametrize("content", ["", "{", '{"employeeId": "gpt-5"}', '{"employeeId": "../x"}'])
def test_a_role_card_that_names_nobody_changes_nothing(project: Project, content: str) -> None:
    team = create_with_role(project)

    (team.folder / "roles/manager.json").write_text(content)
    project.append(team.read, reply("all", "wombat, begin."))

    assert [message["from"] for message in project.messages("wombat")] == ["manager-007"]


# --- one task, one id ---

SPELLINGS = [("task-011", "011"), ("011", "task-011"), ("011", "011")]


@pytest.mark.parametrize(("opened", "used"), SPELLINGS)
def test_a_command_finds_a_task_by_either_spelling(project: Project, opened: str, used: str) -> None:
    mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", opened, agent=MANAGER)

    answer = project.run("task", "claim", used, agent="emp-a1")

    assert answer.code == 0, answer


@pytest.mark.parametrize("opened", ["task-011", "011"])
def test_a_line_finds_a_task_by_either_spelling(project: Project, opened: str) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", opened, agent=MANAGER)

    team.append("emp-a1", claim("011", "emp-a1"))

    tasks = project.do("task", "list", "--all", "--json").rows
    assert [task["holder"] for task in tasks] == ["emp-a1"]


def test_a_task_cannot_be_opened_twice_in_two_spellings(project: Project) -> None:
    mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "task-011", agent=MANAGER)

    answer = project.run("task", "open", "Home Page", "--id", "011", agent=MANAGER)

    assert answer.code == 5


@pytest.mark.parametrize("opened", ["task-005", "005"])
def test_no_line_doubles_the_prefix_of_a_task(project: Project, opened: str) -> None:
    team = mount_team(project, "office")
    team.append("emp-a1", info("emp-a1", "I am here."))
    project.do("task", "open", "Home Page", "--id", opened, "--approval", agent=MANAGER)

    project.do("task", "claim", opened, agent="emp-a1")
    project.do("task", "approve", opened, agent=MANAGER)

    log = project.bus_lines(team.write("emp-a1"))
    assert any("[CLAIM] task-005 |" in line for line in log)
    assert any("[APPROVAL] task-005 approved for emp-a1" in line for line in team.told("emp-a1"))


def test_a_delivery_by_line_ends_the_work_of_a_task_opened_by_command(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "011", "--no-check", agent=MANAGER)
    team.append("emp-a1", claim("011", "emp-a1"))

    team.append("emp-a1", delivery("011", "emp-a1", minute(1)))

    assert project.task("011")["state"] == "done"


def test_a_command_finds_a_task_by_its_number_as_files_do(project: Project) -> None:
    mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "001", agent=MANAGER)

    shown = [project.task(named).get("id") for named in ("1", "001", "task-1", "task-001")]
    project.do("task", "open", "Tests", "--id", "002", "--needs", "1", agent=MANAGER)

    assert shown == ["001"] * 4
    assert project.task("2")["needs"] == ["001"]
