"""Every claim of an office ends in a line that the worker reads; nothing that a worker writes is lost."""

import json
import re

import pytest

from tests.acceptance.daemon import SHORT_WAIT, run_daemon, wait_until
from tests.acceptance.lines import MANAGER, approval, claim, delivery, info, minute, reject, reply
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team
from tests.patience import PATIENCE


def open_office(project: Project, *options: str) -> Team:
    """Mount an office with a task 004 that can be claimed."""
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", *options, agent=MANAGER)
    return team


def verdicts(team: Team, worker: str, task: str = "004") -> list[str]:
    """Return the tags of the lines in manager-inbox.log that settle a worker's claim."""
    text = team.read.read_text()
    found = re.findall(rf"\[(APPROVAL|REJECT)\] task-{task} (?:approved for|claim by) {worker}\b", text)
    return [str(each) for each in found]


# --- a verdict for every claim ---


def test_a_claim_that_needs_no_approval_is_answered_with_an_approval(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", claim("004", "emp-a1"))

    assert verdicts(team, "emp-a1") == ["APPROVAL"]


def test_a_claim_that_needs_no_approval_is_answered_by_the_running_bus(project: Project) -> None:
    team = open_office(project)

    with run_daemon(project):
        project.append(team.write("emp-a1"), claim("004", "emp-a1"))
        answered = wait_until(lambda: verdicts(team, "emp-a1"), SHORT_WAIT)

    assert answered
    assert verdicts(team, "emp-a1") == ["APPROVAL"]


def test_a_claim_that_the_manager_approves_by_command_is_answered_with_an_approval(project: Project) -> None:
    team = open_office(project, "--approval")
    team.append("emp-a1", claim("004", "emp-a1"))

    project.do("task", "approve", "004", agent=MANAGER)

    assert verdicts(team, "emp-a1") == ["APPROVAL"]


def test_a_claim_of_a_task_that_another_has_is_rejected_and_names_the_holder(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))

    team.say("emp-b2", claim("004", "emp-b2", minute(1)))

    assert verdicts(team, "emp-b2") == ["REJECT"]
    assert "emp-a1" in team.told("emp-b2")[0]


def test_a_lost_claim_is_rejected_by_the_running_bus(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))

    with run_daemon(project):
        project.append(team.write("emp-b2"), claim("004", "emp-b2", minute(1)))
        wait_until(lambda: verdicts(team, "emp-b2"), PATIENCE)

    assert verdicts(team, "emp-b2") == ["REJECT"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param(("--needs", "003"), "003", id="needs-another"),
        pytest.param(("--for", "emp-b2"), "emp-b2", id="for-another"),
        pytest.param(("--difficulty", "5"), "5", id="too-difficult"),
    ],
)
def test_a_claim_that_cannot_be_granted_is_rejected_with_the_reason(
    project: Project, options: tuple[str, ...], reason: str
) -> None:
    team = mount_team(project, "office")
    project.do("agents", "add", "emp-a1", "emp-b2", "--level", "3")
    project.do("task", "open", "Layout", "--id", "003", agent=MANAGER)
    project.do("task", "open", "Home Page", "--id", "004", *options, agent=MANAGER)

    team.say("emp-a1", claim("004", "emp-a1"))

    assert verdicts(team, "emp-a1") == ["REJECT"]
    assert reason in team.told("emp-a1")[0].split("rejected:")[1]


def test_a_claim_while_another_task_is_in_progress_is_rejected(project: Project) -> None:
    team = open_office(project)
    project.do("task", "open", "Footer", "--id", "005", agent=MANAGER)
    team.say("emp-a1", claim("004", "emp-a1"))

    team.say("emp-a1", claim("005", "emp-a1", minute(1)))

    assert verdicts(team, "emp-a1", "005") == ["REJECT"]


def test_the_full_stop_of_a_reason_is_not_doubled(project: Project) -> None:
    team = open_office(project, "--approval")
    team.append("emp-a1", claim("004", "emp-a1"))

    project.do("task", "refuse", "004", "-m", "Level too low.", agent=MANAGER)

    [line] = team.told("emp-a1")
    assert line.endswith("[REJECT] task-004 claim by emp-a1 rejected: Level too low.")


def test_the_ids_in_a_reason_keep_their_prefix(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Layout", "--id", "003", agent=MANAGER)
    project.do("task", "open", "Home Page", "--id", "004", "--needs", "003", agent=MANAGER)

    team.say("emp-a1", claim("004", "emp-a1"))

    [line] = team.told("emp-a1")
    reason = line.split("rejected:")[1]
    assert "task-003" in reason
    assert not re.search(r"(?<!task-)\b00[34]\b", reason)


@pytest.mark.parametrize("options", [(), ("--approval",)], ids=["in-progress", "claimed"])
def test_the_manager_may_reject_the_second_claim_itself(project: Project, options: tuple[str, ...]) -> None:
    team = open_office(project, *options)
    team.say("emp-a1", claim("004", "emp-a1"))
    team.append("emp-b2", claim("004", "emp-b2", minute(1)))
    team.append(MANAGER, reject("004", "emp-b2", "already claimed by emp-a1", minute(2)))

    project.sync()

    assert project.task("004")["holder"] == "emp-a1"
    assert verdicts(team, "emp-b2") == ["REJECT"], "the manager has answered: the bus says nothing"
    assert "refuse" not in project.do("继续检查看板", agent=MANAGER).out


def test_the_manager_is_told_that_it_rejected_a_worker_who_did_not_claim(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-b2", info("emp-b2", "I am here."))
    team.say("emp-a1", claim("004", "emp-a1"))

    team.say(MANAGER, reject("004", "emp-b2", "Level too low", minute(1)))

    assert project.task("004")["holder"] == "emp-a1"
    assert "refuse task-004 had no effect" in project.do("继续检查看板", agent=MANAGER).out


# --- an approval without a claim is an assignment ---


def test_an_approval_for_a_worker_who_did_not_claim_assigns_the_task(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-a1", info("emp-a1", "I am here."))

    team.append(MANAGER, approval("004", "emp-a1", minute(1)))

    assert project.task("004")["holder"] == "emp-a1"


def test_the_later_claim_of_the_assigned_worker_changes_nothing(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say(MANAGER, approval("004", "emp-a1", minute(1)))

    team.say("emp-a1", claim("004", "emp-a1", minute(2)))
    team.say("emp-a1", delivery("004", "emp-a1", minute(3)))

    assert project.task("004")["state"] in ("delivered", "done")
    assert "REJECT" not in verdicts(team, "emp-a1")


def test_another_claimant_is_rejected_when_the_manager_chooses_a_worker(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-a1", info("emp-a1", "I am here."))
    team.say("emp-b2", claim("004", "emp-b2"))

    team.say(MANAGER, approval("004", "emp-a1", minute(1)))

    assert project.task("004")["holder"] == "emp-a1"
    assert verdicts(team, "emp-b2") == ["REJECT"]


def test_an_approval_of_an_unknown_task_is_answered(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", info("emp-a1", "I am here."))

    team.say(MANAGER, approval("099", "emp-a1", minute(1)))

    # The worker must not begin; the manager is told in test_told.
    assert any("task-099" in line for line in team.told("emp-a1"))


# --- free-form lines ---

FREE_FORM = [
    pytest.param("## Claiming task-004", id="markdown"),
    pytest.param(json.dumps({"tag": "CLAIM", "task": "task-004", "by": "emp-a1"}), id="json"),
    pytest.param("I claim task 004 please", id="sentence"),
]
TEMPLATE = r"\[CLAIM\] task-004 \| title: Home Page \| by: emp-a1 \| difficulty: \S+ \| deps-met: yes"


def test_free_form_lines_are_kept(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", *(str(case.values[0]) for case in FREE_FORM))

    # Every byte is an event of the log, or in quarantine: none is dropped, or waits for more.
    [file] = [each for each in project.files() if str(each["file"]).endswith("employee-emp-a1.log")]
    assert (file["blank"], file["pending"]) == (0, 0)


@pytest.mark.parametrize("line", FREE_FORM)
def test_worker_and_manager_are_told_the_template_of_a_free_form_line(project: Project, line: str) -> None:
    team = open_office(project, "--difficulty", "3")

    team.say("emp-a1", line)

    assert any(re.search(TEMPLATE, told) for told in team.told("emp-a1"))
    assert re.search(TEMPLATE, project.do("继续检查看板", agent=MANAGER).out)


def test_a_sentence_that_can_only_be_a_claim_counts_as_one(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", "I claim task 004 please")

    assert project.task("004")["holder"] == "emp-a1"
    assert verdicts(team, "emp-a1") == ["APPROVAL"]


def test_a_sentence_that_only_mentions_a_task_is_no_claim(project: Project) -> None:
    team = open_office(project)

    team.append("emp-a1", "Should somebody claim task 004?")

    assert project.task("004")["holder"] == ""


def test_a_reply_of_the_manager_is_read_by_its_worker(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", info("emp-a1", "Which port?"))

    team.append(MANAGER, reply("emp-a1", "Port 8080 it is.", minute(1)))

    assert "Port 8080 it is." in project.do("read", agent="emp-a1").out
