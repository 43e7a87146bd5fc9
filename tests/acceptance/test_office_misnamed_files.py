"""A file in the folder of the logs that has a wrong name: nobody reads it, and its writer is told so."""

import os
import time

import pytest

from tests.acceptance.daemon import run_daemon, wait_until
from tests.acceptance.lines import MANAGER, approval, claim, heartbeat, info, minute
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, create_folder, mount_team


def leave(team: Team, file: str, *lines: str) -> None:
    """Write lines to a file of the folder, a while ago, and let the bus look."""
    path = team.folder / "messages" / file
    team.project.append(path, *lines)
    ago = time.time() - 60
    os.utime(path, (ago, ago))
    team.project.sync()


def told(team: Team, agent: str) -> list[str]:
    """Return the notices about such files: the manager's in its round, a worker's in the manager's file."""
    lines = team.project.do("继续检查看板").out.split("\n") if agent == MANAGER else team.told(agent)
    return [line for line in lines if "OFF116" in line]


@pytest.mark.parametrize(
    ("file", "line", "worker"),
    [
        pytest.param("emp-a1.log", info("emp-a1", "I am here."), "emp-a1", id="no-prefix"),
        pytest.param("emp-a1.log", f"[{minute(1)}] [INFO] I am here.", "emp-a1", id="no-by"),
        pytest.param("employee-emp-a1.txt", claim("004", "emp-a1"), "emp-a1", id="txt"),
        pytest.param("employee_emp-a1.log", claim("004", "emp-a1"), "emp-a1", id="underscore"),
        pytest.param("employee-x.txt", info("emp-a1", "I am here."), "emp-a1", id="by-field"),
        pytest.param("manager_inbox.log", claim("004", "emp-a1"), "emp-a1", id="inbox"),
        pytest.param("status.log", heartbeat("emp-a1", "004"), "emp-a1", id="heartbeat"),
        pytest.param("Employee-emp-a1.log", info("emp-a1", "Hello."), "emp-a1", id="case"),
    ],
)
def test_a_worker_that_writes_a_wrong_file_is_told_the_right_one(
    project: Project, file: str, line: str, worker: str
) -> None:
    team = mount_team(project, "office")

    leave(team, file, line)

    [said] = told(team, worker)
    assert "[REPLY]" in said
    assert f"in messages/{file}: " in said
    assert f"messages/employee-{worker}.log" in said
    [seen] = told(team, MANAGER)
    assert f"messages/{file}" in seen
    assert f"messages/employee-{worker}.log" in seen


@pytest.mark.parametrize("file", ["manager_inbox.log", "manager-inbox.txt", "inbox.log"])
def test_a_manager_that_writes_a_wrong_file_is_told_the_right_one(project: Project, file: str) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", info("emp-a1", "I am here."))

    leave(team, file, approval("004", "emp-a1"))

    [said] = told(team, MANAGER)
    assert f"in messages/{file}: " in said
    assert "messages/manager-inbox.log" in said
    assert told(team, "emp-a1") == []


def test_the_line_counts_in_the_right_file(project: Project) -> None:
    team = mount_team(project, "office")
    leave(team, "emp-a1.log", claim("004", "emp-a1"))
    before = project.task("004")

    team.say("emp-a1", claim("004", "emp-a1"))

    assert before == {}
    assert project.task("004")["holder"] == "emp-a1"


def test_a_misspelt_name_does_not_hide_the_employee_that_the_bus_knows(project: Project) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", info("emp-a1", "I am here."))

    leave(team, "emp-a1.log", info("emp-a11", "Port 8080.", minute(1)))

    assert len(told(team, "emp-a1")) == 1
    assert "emp-a11" not in project.agents()


def test_there_is_one_notice_for_each_file(project: Project) -> None:
    team = mount_team(project, "office")

    leave(team, "emp-a1.log", info("emp-a1", "One."), info("emp-a1", "Two.", minute(1)))
    leave(team, "emp-a1.log", info("emp-a1", "Three.", minute(2)))
    leave(team, "employee-emp-a1.txt", info("emp-a1", "Four.", minute(3)))

    said = told(team, "emp-a1")
    assert ["messages/emp-a1.log" in line for line in said] == [True, False]
    assert len(told(team, MANAGER)) == 2


@pytest.mark.parametrize(
    ("file", "line"),
    [
        pytest.param("README.md", "# The messages of this office", id="text"),
        pytest.param("server.log", f"[{minute(1)}] [INFO] The server is up.", id="log-of-a-program"),
        pytest.param("employee-emp-a1.log.bak", info("emp-a1", "I am here."), id="backup"),
        pytest.param("employee-emp-a1.log~", info("emp-a1", "I am here."), id="backup-of-an-editor"),
        pytest.param("employee-emp-a1.log.1", info("emp-a1", "I am here."), id="rotated"),
        pytest.param(".employee-emp-a1.log.swp", info("emp-a1", "I am here."), id="hidden"),
    ],
)
def test_nobody_is_told_of_other_files(project: Project, file: str, line: str) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", info("emp-a1", "I am here."))

    leave(team, file, line)

    assert told(team, "emp-a1") == told(team, MANAGER) == []


def test_a_file_that_is_being_written_may_be_the_copy_of_an_editor(project: Project) -> None:
    team = mount_team(project, "office")

    project.say(team.folder / "messages/sedAb3x9", info("emp-a1", "I am here."))

    assert told(team, "emp-a1") == []


def test_wrong_names_from_before_the_mount_are_counted_in_the_summary(project: Project) -> None:
    folder = create_folder(project, "office")
    project.append(folder / "messages/emp-a1.log", info("emp-a1", "One."), info("emp-a1", "Two.", minute(1)))

    team = Team(project, "office", project.mount("office"))
    project.sync()

    assert "1 line broke a rule" in project.do("继续检查看板").out
    assert told(team, "emp-a1") == []
    assert "emp-a1.log:1: OFF116" in project.run("lint", str(folder)).out


def test_a_worker_that_goes_on_in_a_wrong_file_after_the_mount_is_told(project: Project) -> None:
    folder = create_folder(project, "office")
    project.append(folder / "messages/emp-a1.log", info("emp-a1", "One."))
    team = Team(project, "office", project.mount("office"))
    before = told(team, "emp-a1")

    leave(team, "emp-a1.log", info("emp-a1", "Two.", minute(1)))

    assert before == []
    assert len(told(team, "emp-a1")) == 1


def test_the_manager_alone_is_told_of_a_wrong_file_of_a_model(project: Project) -> None:
    team = mount_team(project, "office")

    leave(team, "gpt-5.log", info("gpt-5", "I am here."))

    [said] = told(team, MANAGER)
    assert "messages/employee-<employeeId>.log" in said
    assert "gpt-5" not in project.agents()


def test_such_a_file_is_no_file_of_the_mount(project: Project) -> None:
    team = mount_team(project, "office")

    leave(team, "emp-a1.log", info("emp-a1", "The wombat is here."))

    assert [each for each in project.messages("wombat") if each["from"] != "palaver"] == []
    assert "messages/emp-a1.log" not in {each["file"] for each in project.files()}


def test_the_running_bus_tells_of_a_wrong_file_by_itself(project: Project) -> None:
    team = mount_team(project, "office")
    with run_daemon(project):
        project.append(team.folder / "messages/emp-a1.log", info("emp-a1", "I am here."))

        assert wait_until(lambda: told(team, "emp-a1"))
