"""What an office says about a line that changes nothing, and about one that counts although it is odd."""

from tests.acceptance.lines import MANAGER, approval, claim, info, minute
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team


def open_office(project: Project, *options: str, task: str = "005") -> Team:
    """Mount an office with two workers and one task."""
    team = mount_team(project, "office")
    for worker in ("emp-a1", "emp-b2"):
        team.append(worker, info(worker, "I am here."))
    project.do("task", "open", "Home Page", "--id", task, *options, agent=MANAGER)
    return team


def worker_round(project: Project, worker: str) -> str:
    return project.do("继续", agent=worker).out


def manager_round(project: Project) -> str:
    return project.do("继续检查看板", agent=MANAGER).out


# --- an approval for a second worker ---


def test_an_approval_for_a_second_worker_is_told_to_both_sides(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say(MANAGER, approval("005", "emp-b2", minute(1)))

    assert project.task("005")["holder"] == "emp-a1"
    [told] = team.told("emp-b2")
    assert "task-005" in told
    assert "emp-a1 has it" in told
    assert "What you said about task-005 had no effect: emp-a1 has it." in manager_round(project)


def test_an_approval_for_a_second_worker_who_never_wrote_is_told_to_the_manager(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say(MANAGER, approval("005", "emp-c3", minute(1)))

    assert project.task("005")["holder"] == "emp-a1"
    assert "emp-a1 has it" in manager_round(project)


def test_an_approval_that_the_holder_has_already_is_no_violation(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say(MANAGER, approval("005", "emp-a1", minute(1)))

    assert "had no effect" not in manager_round(project)


# --- a claim that counts although it is odd ---


def test_the_author_of_an_odd_claim_is_told_that_it_counted(project: Project) -> None:
    team = open_office(project, "--approval")

    team.say("emp-b2", "[CLAIM] task-005 | by: emp-b2")

    assert project.task("005")["state"] == "claimed"
    told = team.told("emp-b2")
    assert told
    assert all("It counted; next time write: [<ISO timestamp>] [CLAIM] task-005 |" in line for line in told)


def test_an_odd_claim_that_loses_is_not_said_to_count(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say("emp-b2", "[CLAIM] task-005 | by: emp-b2")

    assert team.told("emp-b2")
    assert not [line for line in team.told("emp-b2") if "It counted" in line]


def test_a_worker_may_repeat_its_own_claim(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-b2", claim("005", "emp-b2"))

    team.say("emp-b2", claim("005", "emp-b2", minute(1)))

    assert team.told("emp-b2") == []
    said = manager_round(project)
    assert "Conflicts" not in said
    assert "emp-b2 wants task-005" in said
