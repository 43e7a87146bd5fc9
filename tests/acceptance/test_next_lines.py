"""The author of a move without effect is told a line that has one now, or what else to do."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest

from tests.acceptance.lines import (
    MANAGER,
    approval,
    block,
    chat,
    claim,
    delivery,
    minute,
    post,
    work_mail,
)
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team
from tests.acceptance.told_cases import (
    WITHOUT_EFFECT,
    assign_task_2,
    claim_parser,
    dispatch_order_1,
    give_price,
    open_home_page,
)

_BLANK: Final = re.compile(r"<[a-z][^<>\"]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A move without effect, and what its author can do instead."""

    dialect: str
    author: str
    line: str
    before: Callable[[Team], None]
    task: str
    #: What the notice says, and the state of the task once the line that it offers was written.
    says: tuple[str, ...] = ()
    state: str = ""


def claim_home_page(team: Team) -> None:
    open_home_page(team)
    team.say("emp-a1", claim("004", "emp-a1"))


def work_on_home_page(team: Team) -> None:
    claim_home_page(team)
    team.say(MANAGER, approval("004", "emp-a1", minute(1)))


def work_and_wait(team: Team) -> None:
    work_on_home_page(team)
    team.project.do("task", "open", "Tests", "--id", "005", "--approval", agent=MANAGER)


def wait_for_home_page(team: Team) -> None:
    open_home_page(team)
    words = ("Tests", "--id", "005", "--needs", "004", "--approval")
    team.project.do("task", "open", *words, agent=MANAGER)


def assign_two(team: Team) -> None:
    assign_task_2(team)
    team.project.do("task", "open", "Write the docs", "--id", "3", agent="td")
    team.project.do("task", "assign", "3", "qa", agent="td")


def open_parser_gated(team: Team) -> None:
    team.project.do("agents", "add", "codex-impl-2")
    team.project.do("task", "open", "Parser", "--id", "parser", "--approval", agent="boss")


def open_order_gated(team: Team) -> None:
    team.project.do("agents", "add", "project-a/workers/slot0", "project-a/supervisor")
    team.project.do("task", "open", "Feature X", "--id", "wo-1", "--approval", agent="project-a/supervisor")


#: Moves that another line makes possible.
WITH_A_LINE: Final = {
    "office-block-before-claim": Case(
        dialect="office",
        author="emp-a1",
        before=open_home_page,
        line=f"[{minute(2)}] [BLOCKED] task-004 | by: emp-a1 | reason: no access",
        task="004",
        state="claimed",
    ),
    "office-delivery-of-an-unknown-task": Case(
        dialect="office",
        author="emp-a1",
        before=work_on_home_page,
        line=delivery("0045", "emp-a1", minute(2)),
        task="004",
        says=("there is no such task",),
        state="delivered",
    ),
    "office-approval-of-an-unknown-task": Case(
        dialect="office",
        author=MANAGER,
        before=claim_home_page,
        line=approval("099", "emp-a1", minute(2)),
        task="004",
        says=("there is no such task",),
        state="working",
    ),
    "vermas-done-before-claim": Case(
        dialect="vermas",
        author="project-a/workers/slot0",
        before=open_order_gated,
        line=work_mail("project-a/workers/slot0", "project-a/supervisor", "WORKER_DONE", "wo-1"),
        task="wo-1",
        state="claimed",
    ),
    "swarm-ambiguous": Case(
        dialect="swarm",
        author="qa",
        before=assign_two,
        line=post("qa", "@td", "task", "ACK: on it"),
        task="3",
        says=("task 2|#2|2 or 3",),
        state="working",
    ),
    "runbus-complete-before-claim": Case(
        dialect="runbus",
        author="codex-impl-2",
        before=open_parser_gated,
        line=block("COMPLETE", "codex-impl-2", "Wrote it.", more="files: parser.py"),
        task="parser",
        state="claimed",
    ),
    "collab-done-by-the-giver": Case(
        dialect="collab",
        author="jim",
        before=give_price,
        line=chat("JIM", "CLAWDY", "[DONE:price] BTC $94,230"),
        task="price",
        state="done",
    ),
}

#: Moves that no line makes possible now.
WITH_WORDS: Final = {
    "office-not-approved-yet": Case(
        dialect="office",
        author="emp-a1",
        before=claim_home_page,
        line=delivery("004", "emp-a1", minute(2)),
        task="004",
        says=(rf"Wait until {MANAGER} approves it\.",),
    ),
    "office-claim-while-busy": Case(
        dialect="office",
        author="emp-a1",
        before=work_and_wait,
        line=claim("005", "emp-a1", minute(2)),
        task="004",
        says=(r"Deliver task-004 first\.",),
    ),
    "office-waits-for-another": Case(
        dialect="office",
        author="emp-a1",
        before=wait_for_home_page,
        line=claim("005", "emp-a1", minute(2)),
        task="005",
        says=(r"Claim it when task-004 is done\.",),
    ),
    "vermas-of-another": Case(
        dialect="vermas",
        author="project-a/workers/slot1",
        before=dispatch_order_1,
        line=WITHOUT_EFFECT["vermas"].line,
        task="wo-1",
        says=(r"Ask project-a/workers/slot0\b",),
    ),
    "swarm-of-another": Case(
        dialect="swarm",
        author="programmer",
        before=assign_task_2,
        line=WITHOUT_EFFECT["swarm"].line,
        task="2",
        says=(r"Ask qa\b",),
    ),
    "runbus-of-another": Case(
        dialect="runbus",
        author="codex-impl-2",
        before=claim_parser,
        line=WITHOUT_EFFECT["runbus"].line,
        task="parser",
        says=(r"Ask claude-impl-1\b",),
    ),
}


def told(team: Team, author: str) -> list[str]:
    """Return what an agent reads; the manager reads it in the next round."""
    if author == MANAGER:
        return [team.project.do("继续检查看板", agent=MANAGER).out]
    return team.told(author)


def write(project: Project, case: Case) -> tuple[Team, str]:
    """Let the author write the line; return the team, and the notice about it."""
    team = mount_team(project, case.dialect)
    case.before(team)
    before = told(team, case.author)
    team.say(case.author, case.line)
    new = [each for each in told(team, case.author) if each not in before]
    return team, "\n".join(new)


def offered(notice: str) -> str:
    """Return the line that a notice offers, with its blanks filled in."""
    found = re.search(r"Write:\s+(?:~~~\n)?(.*?)(?:\n *~~~|\Z)", notice, re.DOTALL)
    assert found, notice
    line = "\n".join(each.removeprefix("    ") for each in found[1].strip().split("\n"))
    assert "YYYY" not in line, "it has its time"
    return _BLANK.sub("as agreed", line.replace("[<ISO timestamp>]", f"[{minute(9)}]"))


@pytest.mark.parametrize("name", WITH_A_LINE)
def test_the_line_that_is_offered_for_a_move_without_effect_has_one(project: Project, name: str) -> None:
    case = WITH_A_LINE[name]
    team, notice = write(project, case)
    assert all(re.search(each, notice) for each in case.says), notice

    team.say(case.author, offered(notice))

    assert project.task(case.task)["state"] == case.state, notice


@pytest.mark.parametrize("name", WITH_WORDS)
def test_where_no_line_has_an_effect_the_notice_says_what_to_do(project: Project, name: str) -> None:
    case = WITH_WORDS[name]

    _, notice = write(project, case)

    assert all(re.search(each, notice) for each in case.says), notice
    assert "Write:" not in notice
