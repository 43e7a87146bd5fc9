"""What `palaver lint` says of a line of an office, and what the live bus does with it, agree."""

import os
import re
import textwrap
from typing import Final

import pytest

from tests.acceptance.lines import MANAGER, approval, claim, info, minute
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team

#: The rules of an office, and who is told of the bad example on the page of each.
TOLD: Final = {
    "OFF101": "emp-a1",
    "OFF102": MANAGER,
    "OFF103": "emp-a1",
    "OFF104": "emp-b2",
    # The log of a model belongs to nobody.
    "OFF105": MANAGER,
    "OFF106": MANAGER,
    "OFF107": "emp-a1",
    "OFF108": "emp-b2",
    "OFF109": "emp-a1",
    "OFF110": "emp-a1",
    "OFF111": "emp-a1",
    "OFF113": MANAGER,
    "OFF114": "emp-a1",
    "OFF115": "emp-a1",
    "OFF116": "emp-a1",
}
_TIME: Final = len("[2026-02-11T10:00:00Z]")
_EXAMPLE: Final = r"^{} \((.*?)\):\n\n((?:    .*\n|\n)+)"


def test_every_rule_has_a_case(project: Project) -> None:
    rules = {str(rule["code"]) for rule in project.do("rules", "--json").rows}

    assert {code for code in rules if re.match(r"OFF1", code)} == set(TOLD)


def mount_office(project: Project) -> Team:
    """Mount an office with two employees and the tasks of the examples."""
    team = mount_team(project, "office")
    for worker in ("emp-a1", "emp-b2"):
        team.append(worker, info(worker, "I am here.", "2026-02-11T08:00:00Z"))
    for task in ("003", "004", "005"):
        project.do(
            "task", "open", "Home Page", "--id", task, "--difficulty", "3", "--approval", agent=MANAGER
        )
    return team


def told(project: Project, team: Team, agent: str) -> list[str]:
    """Return what an agent is told now: the manager in its round, a worker in the manager's file."""
    if agent != MANAGER:
        return [line for line in team.told(agent) if "[APPROVAL]" not in line]
    lines = project.do("继续检查看板").out.split("\n")
    return [line for line in lines if re.search(r" palaver  |had no effect", line)]


def write_example(project: Project, code: str, kind: str) -> tuple[Team, list[bool], list[bool]]:
    """Write an example of a rule; return which lines are told to their author, and which lint finds."""
    manual = project.do("rules", code).out
    match = re.search(_EXAMPLE.format(kind), f"{manual}\n", re.MULTILINE)
    if match is None:
        raise RuntimeError(f"{code} has no {kind} example: {manual}")
    file, _, context = match[1].partition("; ")
    team = mount_office(project)
    path = team.folder / file
    lines = textwrap.dedent(match[2]).strip("\n").split("\n")
    others = [(team.folder / other, line) for other, line in re.findall(r"(\S+) holds `(.*?)`", context)]
    # Everybody writes in turn; within the file of the example, the order of its lines holds.
    turns = [(line[:_TIME], place, line) for place, line in others]
    turns += [(max(lines[: number + 1])[:_TIME], path, line) for number, line in enumerate(lines)]
    live = []
    for _, place, line in sorted(turns, key=lambda turn: turn[0]):
        before = told(project, team, TOLD[code])
        project.append(place, line)
        # A file that nobody writes to at the moment.
        os.utime(place, (0, 0))
        project.sync()
        after = told(project, team, TOLD[code])
        if place == path:
            live.append(bool(after) if TOLD[code] == MANAGER else after != before)
    found = project.run("lint", str(team.folder)).out
    text = path.read_text(encoding="utf-8").split("\n")
    linted = [f"{path.name}:{text.index(line) + 1}: {code} " in found for line in lines]
    return team, live, linted


@pytest.mark.parametrize("code", TOLD)
def test_the_author_of_the_bad_example_of_a_rule_is_told_of_the_lines_that_lint_finds(
    project: Project, code: str
) -> None:
    _, live, linted = write_example(project, code, "Bad")

    assert linted[-1]
    assert live == linted


@pytest.mark.parametrize("code", TOLD)
def test_nobody_is_told_of_the_good_example_of_a_rule(project: Project, code: str) -> None:
    _, live, linted = write_example(project, code, "Good")

    assert live == linted == [False] * len(linted)


# --- the exact line to write instead ---


@pytest.mark.parametrize(
    ("wrong", "agent", "right"),
    [
        pytest.param(
            ("employee-emp-a1.log", approval("004", "emp-a1")),
            MANAGER,
            ("manager-inbox.log", "[APPROVAL] task-004 approved for emp-a1. Status: In Progress."),
            id="approval-in-an-employees-log",
        ),
        pytest.param(
            ("manager-inbox.log", claim("004", "emp-a1")),
            "emp-a1",
            (
                "employee-emp-a1.log",
                "[CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes",
            ),
            id="claim-in-the-inbox",
        ),
        pytest.param(
            ("manager-inbox.log", f"[{minute(1)}] [claim] task-4 | by: emp-a1"),
            "emp-a1",
            (
                "employee-emp-a1.log",
                "[CLAIM] task-4 | title: <title> | by: emp-a1 | difficulty: <N> | deps-met: yes",
            ),
            id="odd-claim-in-the-inbox",
        ),
        pytest.param(
            ("employee-emp-a1.log", info("emp-b2", "I take the footer.")),
            "emp-b2",
            ("employee-emp-b2.log", "[INFO] by: emp-b2 | I take the footer."),
            id="line-in-anothers-log",
        ),
        pytest.param(
            ("employee-gpt-5.log", info("emp-b2", "I take the footer.")),
            "emp-b2",
            ("employee-emp-b2.log", "[INFO] by: emp-b2 | I take the footer."),
            id="line-in-the-log-of-a-model",
        ),
        pytest.param(
            ("employee-gpt-5.log", info("gpt-5", "I take the footer.")),
            MANAGER,
            ("employee-<employeeId>.log", "[INFO] by: <employeeId> | I take the footer."),
            id="line-by-a-model",
        ),
        pytest.param(
            ("manager-inbox.log", info(MANAGER, "The port is 8080.")),
            MANAGER,
            ("INFO is a tag of workers", "[REPLY] To <employeeId or all>: The port is 8080."),
            id="tag-of-a-worker",
        ),
        pytest.param(
            ("manager-inbox.log", f"[{minute(1)}] [approval] Task-004  approved for emp-a1"),
            MANAGER,
            ("differs from its template", "[APPROVAL] task-004 approved for emp-a1. Status: In Progress."),
            id="odd-approval",
        ),
        pytest.param(
            ("manager-inbox.log", f"[{minute(1)}] [REPLY] The port is 8080."),
            MANAGER,
            ("this REPLY has no recipient", "[REPLY] To all: The port is 8080."),
            id="reply-to-nobody",
        ),
        pytest.param(
            ("manager-inbox.log", f"[{minute(1)}] [DONE] task-004"),
            MANAGER,
            ("this DONE has no employeeId", "[DONE] task-004 marked Done. Delivered by <employeeId>."),
            id="done-without-employee",
        ),
        pytest.param(
            (
                "employee-emp-a1.log",
                f"[{minute(1)}] [HEARTBEAT] emp-a1 | status: tired | current-task: none | action: tea",
            ),
            "emp-a1",
            (
                "status: 'tired' is not a value of the template",
                "[HEARTBEAT] emp-a1 | status: <working|waiting|blocked> | current-task: none | action: tea",
            ),
            id="value-that-is-not-allowed",
        ),
    ],
)
def test_the_author_is_told_where_to_write_which_line(
    project: Project, wrong: tuple[str, str], agent: str, right: tuple[str, str]
) -> None:
    team = mount_office(project)
    told(project, team, MANAGER)

    file, line = wrong
    project.say(team.folder / "messages" / file, line)

    place, right_line = right
    said = [each for each in told(project, team, agent) if place in each]
    assert [each for each in said if f"rite: [<ISO timestamp>] {right_line}" in each], said
    assert "gpt-5" not in project.agents()


# --- lines that misled lint ---


@pytest.mark.parametrize(
    "file", ["messages/manager-inbox.log", "messages/employee-emp-a1.log"], ids=["inbox", "anothers-log"]
)
def test_a_claim_in_the_wrong_file_takes_nothing_from_anybody(project: Project, file: str) -> None:
    team = mount_office(project)
    team.say("emp-c3", info("emp-c3", "I am here.", "2026-02-11T08:00:00Z"))
    project.say(team.folder / file, claim("004", "emp-c3"))

    team.say("emp-b2", claim("004", "emp-b2", minute(1)))

    assert project.task("004")["holder"] == "emp-b2"
    assert "OFF108" not in project.run("lint", str(team.folder)).out


def test_the_earlier_of_two_claims_may_be_repeated(project: Project) -> None:
    team = mount_office(project)
    team.say("emp-a1", claim("004", "emp-a1"))
    team.say("emp-b2", claim("004", "emp-b2", minute(1)))

    team.say("emp-a1", claim("004", "emp-a1", minute(2)))

    assert [line for line in told(project, team, "emp-a1") if "claim by emp-b2" not in line] == []
    found = project.run("lint", str(team.folder)).out
    assert re.findall(r"employee-(\S+).log:\d+: OFF108", found) == ["emp-b2"]


def test_an_approval_without_effect_makes_nobody_busy(project: Project) -> None:
    team = mount_office(project)
    team.say(MANAGER, approval("004", "emp-a1"))
    team.say(MANAGER, approval("004", "emp-b2", minute(1)))

    team.say("emp-b2", claim("005", "emp-b2", minute(2)))

    assert project.task("005")["holder"] == "emp-b2"
    assert "OFF109" not in project.run("lint", str(team.folder)).out


def test_a_worker_that_gets_new_work_after_a_stop_may_write_again(project: Project) -> None:
    team = mount_office(project)
    team.say(MANAGER, f"[{minute(0)}] [STOP] To all: The project is accepted.")
    team.say(MANAGER, approval("004", "emp-a1", minute(1)))

    team.say("emp-a1", info("emp-a1", "I begin.", minute(2)))
    team.say("emp-b2", info("emp-b2", "And I?", minute(2)))

    assert told(project, team, "emp-a1") == []
    assert any("[LEAVE]" in line for line in told(project, team, "emp-b2"))
    found = project.run("lint", str(team.folder)).out
    assert re.findall(r"employee-(\S+).log:\d+: OFF114", found) == ["emp-b2"]
