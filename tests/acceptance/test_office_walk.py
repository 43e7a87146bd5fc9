"""An office by files alone: what its people do first, and what happens to each kind of wrong line."""

import pytest

from tests.acceptance.files import read
from tests.acceptance.lines import MANAGER, approval, claim, delivery, done, info, minute, reply
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team

# --- a new office ---


def test_a_new_mount_has_the_file_that_all_workers_read(project: Project) -> None:
    folder = project.mount("office")

    assert read(folder / "messages/manager-inbox.log") == ""
    assert (folder / "messages/manager-inbox.log").exists()


def test_a_mount_keeps_what_is_in_the_file_that_all_workers_read(project: Project) -> None:
    inbox = project.folder / "office/messages/manager-inbox.log"
    project.append(inbox, reply("all", "Welcome."))

    project.mount("office")

    assert read(inbox) == reply("all", "Welcome.") + "\n"


# --- an unknown task ---


def test_the_delivery_of_an_unknown_task_opens_none(project: Project) -> None:
    team = mount_team(project, "office")

    team.say("emp-a1", delivery("077", "emp-a1"))

    assert project.task("077") == {}
    assert any("task-077" in told and "no such task" in told for told in team.told("emp-a1"))


def test_the_claim_of_a_task_that_nobody_opened_opens_it(project: Project) -> None:
    team = mount_team(project, "office")

    team.append("emp-a1", claim("001", "emp-a1"))

    task = project.task("001")
    assert (task["state"], task["holder"], task["title"]) == ("claimed", "emp-a1", "Home Page")


# --- a line that cannot be read gets its own template ---


@pytest.mark.parametrize(
    ("author", "line", "right"),
    [
        pytest.param(
            "emp-a1",
            f"[{minute(1)}] [CLAIM] title: Footer | by: emp-a1",
            "[CLAIM] task-<id> | title: Footer | by: emp-a1 | difficulty: <N> | deps-met: yes",
            id="claim",
        ),
        pytest.param(
            "emp-a1",
            f"[{minute(1)}] [DELIVERY] by: emp-a1 | files: a.py, b.py | criteria-met: all",
            "[DELIVERY] task-<id> | by: emp-a1 | files: a.py, b.py | criteria-met: all",
            id="delivery",
        ),
        pytest.param(
            "emp-a1",
            f"[{minute(1)}] [HEARTBEAT] working on task-006",
            "[HEARTBEAT] emp-a1 | status: <working|waiting|blocked> | current-task: task-006 "
            "| action: working on task-006",
            id="heartbeat",
        ),
        pytest.param(
            "emp-a1",
            f"[{minute(1)}] [INFO] by: emp-a1",
            "[INFO] by: emp-a1 | <free text message>",
            id="info-without-text",
        ),
        pytest.param("emp-a1", "random words", "[INFO] by: emp-a1 | random words", id="words"),
        pytest.param(
            MANAGER,
            f"[{minute(1)}] [APPROVAL] go ahead, emp-a1",
            "[APPROVAL] task-<id> approved for emp-a1. Status: In Progress.",
            id="approval",
        ),
    ],
)
def test_the_author_of_an_unreadable_line_is_told_the_template_of_its_tag(
    project: Project, author: str, line: str, right: str
) -> None:
    team = mount_team(project, "office")

    team.say(author, line)

    assert right in told(project, team, author)


def test_the_authors_of_two_unreadable_lines_in_a_row_are_told_of_both(project: Project) -> None:
    team = mount_team(project, "office")

    team.say("emp-a1", f"[{minute(1)}] [CLAIM] title: Footer | by: emp-a1", "random words")

    said = told(project, team, "emp-a1")
    assert "OFF009" in said
    assert "OFF004" in said


def told(project: Project, team: Team, author: str) -> str:
    """Return what the bus told an author: the manager in its round, a worker in the manager's file."""
    if author == MANAGER:
        return project.do("继续检查看板", agent=MANAGER).out
    return "\n".join(team.told(author))


# --- the manager decides ---


def test_an_approval_for_a_misspelt_employee_takes_nothing_from_the_claimant(project: Project) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", claim("004", "emp-a1"))

    team.say(MANAGER, approval("004", "emp-a11", minute(1)))

    assert project.task("004")["holder"] == "emp-a1"
    assert project.task("004")["state"] == "claimed"
    assert "emp-a1" in told(project, team, MANAGER)


def test_the_manager_corrects_an_approval_for_a_misspelt_employee(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent=MANAGER)
    team.say("emp-a1", info("emp-a1", "I am here."))
    team.say(MANAGER, approval("004", "emp-a11", minute(1)))
    said = told(project, team, MANAGER)

    team.say(MANAGER, approval("004", "emp-a1", minute(2)))

    assert "emp-a11 has not written anything yet. Did you mean emp-a1? Write: " in said
    assert (project.task("004")["state"], project.task("004")["holder"]) == ("working", "emp-a1")
    assert "had no effect" not in told(project, team, MANAGER)


def test_an_approval_for_a_new_employee_is_not_said_to_have_failed(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent=MANAGER)
    team.say("emp-a1", info("emp-a1", "I am here."))

    team.say(MANAGER, approval("004", "emp-new", minute(1)))

    said = told(project, team, MANAGER)
    assert "emp-new has not written anything yet. A new employee will find your line." in said
    assert "Did you mean" not in said
    assert project.task("004")["holder"] == "emp-new"


def test_a_task_is_approved_in_the_file_although_its_claim_needed_no_approval(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", agent=MANAGER)
    team.append("emp-a1", claim("004", "emp-a1"))
    team.append(MANAGER, approval("004", "emp-a1", minute(1)))

    project.sync()

    # The manager has answered: the bus says nothing.
    assert project.bus_lines(team.read) == []
    assert project.task("004")["state"] == "working"


def test_a_worker_who_delivered_may_claim_the_next_task(project: Project) -> None:
    team = mount_team(project, "office")
    for task in ("004", "005"):
        project.do("task", "open", "Home Page", "--id", task, agent=MANAGER)
    team.say("emp-a1", claim("004", "emp-a1"), delivery("004", "emp-a1", minute(1)))

    team.append("emp-a1", claim("005", "emp-a1", minute(2)))

    assert project.task("005")["holder"] == "emp-a1"


def test_a_task_that_is_done_without_a_delivery_is_reported_and_done(project: Project) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", claim("004", "emp-a1"))
    team.say(MANAGER, approval("004", "emp-a1", minute(1)))

    team.say(MANAGER, done("004", "emp-a1", minute(2)))

    assert project.task("004")["state"] == "done"
    assert "nobody has delivered it" in told(project, team, MANAGER)


def test_words_with_bars_are_words(project: Project) -> None:
    team = mount_team(project, "office")

    team.say("emp-a1", info("emp-a1", "Which port | 80 or 8080?"))

    assert [message["body"] for message in project.messages("8080")] == ["Which port | 80 or 8080?"]
