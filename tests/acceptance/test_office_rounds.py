"""The rounds of an office (`继续`, `继续检查看板`), and the lines that the bus writes for its people."""

import json

import pytest

from tests.acceptance.lines import MANAGER, approval, claim, delivery, done, heartbeat, info, minute, reply
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, create_folder, mount_team

LONG = (
    "The parser fails on nested brackets, because the tokenizer drops the second level: rewrite tokenize() "
    "in src/parser/tokens.py, and add the three cases of the review before you deliver it, please. THE-END"
)


def worker_round(project: Project) -> str:
    return project.do("继续", agent="emp-a1").out


def manager_round(project: Project) -> str:
    return project.do("继续检查看板", agent=MANAGER).out


def open_office(project: Project) -> Team:
    """Mount an office with a worker and a task that needs approval."""
    team = mount_team(project, "office")
    team.append("emp-a1", info("emp-a1", "I am here."))
    words = ("Home Page", "--id", "004", "--difficulty", "3", "--approval")
    project.do("task", "open", *words, agent=MANAGER)
    return team


# --- what a round says ---


def test_a_worker_reads_the_complete_text_in_its_round(project: Project) -> None:
    team = open_office(project)

    team.append(MANAGER, reply("emp-a1", LONG, minute(1)))

    assert LONG in worker_round(project)


def test_the_manager_reads_the_complete_text_in_its_round(project: Project) -> None:
    team = open_office(project)

    team.append("emp-a1", info("emp-a1", LONG, minute(1)))

    assert LONG in manager_round(project)


def test_what_one_round_of_a_worker_said_the_next_one_does_not_repeat(project: Project) -> None:
    team = open_office(project)
    team.append(MANAGER, reply("emp-a1", "Port 8080.", minute(1)))
    if "Port 8080." not in worker_round(project):
        raise RuntimeError("the first round does not say it")

    assert "Port 8080." not in worker_round(project)


def test_what_one_round_of_the_manager_said_the_next_one_does_not_repeat(project: Project) -> None:
    open_office(project)
    if "I am here." not in manager_round(project):
        raise RuntimeError("the first round does not say it")

    assert "I am here." not in manager_round(project)


def test_a_round_says_nothing_of_what_is_settled(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))
    team.say(MANAGER, approval("004", "emp-a1", minute(1)))
    team.say("emp-a1", delivery("004", "emp-a1", minute(2)))
    team.append(MANAGER, done("004", "emp-a1", minute(3)))

    assert "004" not in manager_round(project)


def test_a_claim_that_waits_is_said_in_every_round_of_the_manager(project: Project) -> None:
    team = open_office(project)
    team.append("emp-a1", claim("004", "emp-a1"))
    manager_round(project)

    again = manager_round(project)

    assert "emp-a1" in again
    assert "004" in again


def test_the_round_of_the_manager_names_the_line_that_approves(project: Project) -> None:
    team = open_office(project)

    team.append("emp-a1", claim("004", "emp-a1"))

    assert "[APPROVAL] task-004 approved for emp-a1. Status: In Progress." in manager_round(project)


def test_the_round_of_a_worker_names_the_line_that_delivers(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))

    team.append(MANAGER, approval("004", "emp-a1", minute(1)))

    said = worker_round(project)
    assert "task-004 approved for emp-a1" in said
    assert "[DELIVERY] task-004 | by: emp-a1" in said


def test_the_line_that_a_round_names_is_right_as_it_is(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))
    team.say(MANAGER, approval("004", "emp-a1", minute(1)))
    [line] = [each.strip() for each in worker_round(project).splitlines() if "[DELIVERY]" in each]

    # The round has written a heartbeat in the same second.
    team.say("emp-a1", line.replace("<file1>, <file2>", "home.html"))

    assert project.task("004")["state"] == "delivered"
    assert team.told("emp-a1") == []


def test_the_round_of_a_worker_names_the_line_that_claims(project: Project) -> None:
    open_office(project)

    line = "[CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes"
    assert line in worker_round(project)


def test_the_round_of_the_only_manager_needs_no_name(project: Project) -> None:
    team = open_office(project)
    team.append("emp-a1", claim("004", "emp-a1"))

    answer = project.run("继续检查看板")

    assert answer.code == 0
    assert "004" in answer.out


# --- signs of life ---


def test_a_worker_who_sends_heartbeats_is_not_woken(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))
    team.append(MANAGER, approval("004", "emp-a1", minute(1)))

    for number in range(2, 4):
        team.append("emp-a1", heartbeat("emp-a1", "004", minute(number)))
        manager_round(project)
        project.do("patrol")

    assert team.told("emp-a1") == []


def test_a_worker_who_is_silent_is_woken(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))
    team.append(MANAGER, approval("004", "emp-a1", minute(1)))

    for _ in range(2):
        manager_round(project)
        project.do("patrol")

    assert any("[WAKE" in line for line in team.told("emp-a1"))


# --- lines that commands write ---


def test_a_claim_by_command_writes_every_field_that_the_bus_knows(project: Project) -> None:
    team = open_office(project)

    project.do("task", "claim", "004", agent="emp-a1")

    [line] = project.bus_lines(team.write("emp-a1"))
    assert line.endswith("[CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes")


def test_a_delivery_by_command_writes_its_files_and_no_escapes(project: Project) -> None:
    team = open_office(project)
    (project.folder / "home.html").write_text("x")
    project.do("task", "claim", "004", agent="emp-a1")
    project.do("task", "approve", "004", agent=MANAGER)

    words = ("-m", "Home page with a menu", "--file", "home.html")
    project.do("task", "deliver", "004", *words, agent="emp-a1")

    line = project.bus_lines(team.write("emp-a1"))[-1]
    assert "[DELIVERY] task-004 | by: emp-a1 | files: home.html | criteria-met:" in line
    assert "Home page with a menu" in line
    assert "%" not in line


def test_the_commands_of_the_manager_write_the_lines_of_the_protocol(project: Project) -> None:
    team = open_office(project)
    project.do("task", "claim", "004", agent="emp-a1")
    project.do("task", "approve", "004", agent=MANAGER)
    project.do("task", "deliver", "004", "-m", "Home page with a menu", agent="emp-a1")

    project.do("task", "accept", "004", agent=MANAGER)

    bare = [line.split("] ", 1)[1] for line in team.told("emp-a1")]
    assert bare == [
        "[APPROVAL] task-004 approved for emp-a1. Status: In Progress.",
        "[DONE] task-004 marked Done. Delivered by emp-a1.",
    ]


# --- which file a line goes to ---


@pytest.mark.parametrize(
    ("to", "speaker"),
    [
        pytest.param((MANAGER, "emp-a1"), "td", id="both"),
        pytest.param((MANAGER,), MANAGER, id="to-itself"),
        pytest.param((MANAGER,), "emp-a1", id="from-a-worker"),
    ],
)
def test_mail_to_the_manager_is_not_written_into_the_file_of_the_manager(
    project: Project, to: tuple[str, ...], speaker: str
) -> None:
    mount_team(project, "swarm")
    team = open_office(project)

    project.do("send", *to, "-m", "The menu is ready.", agent=speaker)

    assert not [line for line in project.bus_lines(team.read) if f"To {MANAGER}" in line]


def test_mail_to_the_manager_stands_in_the_log_of_its_sender(project: Project) -> None:
    mount_team(project, "swarm")
    team = open_office(project)

    project.do("send", MANAGER, "-m", "The menu is ready.", agent="td")

    [line] = project.bus_lines(team.folder / "messages/employee-td.log")
    assert line.endswith("[INFO] by: td | The menu is ready.")


def test_the_bus_has_no_employee_log_of_its_own(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", approval("004", "emp-a1"))

    assert not (team.folder / "messages/employee-palaver.log").exists()


# --- cards ---

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


def finish(project: Project) -> dict[str, object]:
    """Let a task of a card be claimed, approved, delivered and done; return the card then."""
    folder = create_folder(project, "office")
    (folder / "tasks").mkdir()
    card = folder / "tasks/task-004.json"
    card.write_text(json.dumps(CARD))
    project.do("mount", "add", "office", str(folder))
    team = Team(project, "office", folder)
    team.say("emp-a1", claim("004", "emp-a1"))
    team.say(MANAGER, approval("004", "emp-a1", minute(1)))
    team.say("emp-a1", delivery("004", "emp-a1", minute(2)))
    team.say(MANAGER, done("004", "emp-a1", minute(3)))
    found = json.loads(card.read_text())
    if not isinstance(found, dict):
        raise TypeError(f"not a card: {found}")
    return found


def test_a_card_says_where_its_task_stands(project: Project) -> None:
    card = finish(project)

    assert (card["status"], card["assignee"]) == ("Done", "emp-a1")
    assert card["description"] == "The first page."


def test_the_logs_of_a_card_say_what_happened(project: Project) -> None:
    logs = finish(project)["logs"]

    # The events of the protocol: Created, Claimed, Delivered, Done, Blocked, Rework.
    assert isinstance(logs, list)
    events = [(each["by"], each["event"]) for each in logs]
    happened = [("emp-a1", "Claimed"), ("emp-a1", "Delivered"), (MANAGER, "Done")]
    assert [each for each in events if each in happened] == happened
    assert all(set(each) == {"at", "by", "event", "details"} for each in logs)
