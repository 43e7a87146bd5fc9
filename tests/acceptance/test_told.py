"""Nothing is silently ineffective: the author of such a line is told, with the line to write instead."""

import re

import pytest

from tests.acceptance.daemon import SHORT_WAIT, run_daemon, wait_until
from tests.acceptance.lines import (
    MANAGER,
    approval,
    block,
    chat,
    claim,
    delivery,
    done,
    info,
    mail,
    minute,
    post,
    reply,
)
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, create_folder, mount_team
from tests.acceptance.told_cases import (
    AGAINST_A_RULE,
    LINTED,
    QUARANTINED,
    WITHOUT_EFFECT,
    Case,
    give_price,
    open_home_page,
)

DIALECTS = ("office", "vermas", "swarm", "runbus", "collab")


def write(project: Project, case: Case) -> Team:
    """Mount the team of a case, and let its author write the line."""
    team = mount_team(project, case.dialect)
    case.before(team)
    if team.told(case.author):
        raise RuntimeError(f"told before the line was written: {team.told(case.author)}")
    team.say(case.author, case.line)
    return team


# --- the author is told ---


def test_the_author_of_a_quarantined_line_is_told_by_the_running_bus(project: Project) -> None:
    case = QUARANTINED["office"]
    team = mount_team(project, "office")
    case.before(team)

    with run_daemon(project):
        project.append(team.write(case.author), case.line)
        told = wait_until(lambda: team.told(case.author), SHORT_WAIT)

    assert told


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_author_of_a_line_without_effect_is_told(project: Project, dialect: str) -> None:
    case = WITHOUT_EFFECT[dialect]

    team = write(project, case)

    assert team.told(case.author)


def test_the_author_of_a_line_against_a_rule_is_told(project: Project) -> None:
    case = AGAINST_A_RULE["collab"]

    team = write(project, case)

    assert team.told(case.author)


EXACT = [
    *(pytest.param(QUARANTINED[dialect], id=f"quarantined-{dialect}") for dialect in DIALECTS),
    # In the other dialects somebody else holds the task: no line would have had an effect.
    pytest.param(WITHOUT_EFFECT["office"], id="no-effect-office"),
    *(pytest.param(AGAINST_A_RULE[dialect], id=f"rule-{dialect}") for dialect in DIALECTS),
    pytest.param(LINTED["COL115"], id="typo-collab"),
    pytest.param(LINTED["COL106"], id="request-collab"),
    pytest.param(LINTED["VER006"], id="type-vermas"),
]


@pytest.mark.parametrize("case", EXACT)
def test_the_author_is_told_the_exact_line_to_write_instead(project: Project, case: Case) -> None:
    team = write(project, case)

    assert case.offers(team.told(case.author))


SEVERAL_FAULTS = {
    "office": ("emp-a1", claim("004", "emp-a1", deps_met="no").replace("CLAIM", "claim")),
    "swarm": ("qa", post("qa", "td", "message", "ACK: Claimed task #2.", reasoning="")),
    "runbus": (
        "codex-impl-1",
        block("COMPLETE", "codex-impl-1", "Wrote it.").replace("runId: run_001\n", ""),
    ),
}


@pytest.mark.parametrize("dialect", SEVERAL_FAULTS)
def test_a_line_with_several_faults_gets_one_notice_that_names_them_all(
    project: Project, dialect: str
) -> None:
    author, line = SEVERAL_FAULTS[dialect]
    team = mount_team(project, dialect)
    project.append(team.write(author), line)
    found = re.findall(r"\b[A-Z]{3}\d{3}\b", project.run("lint", str(team.write(author))).out)

    project.sync()

    notices = [str(each["data"]) for each in project.events("mail.sent") if each["actor"] == "palaver"]
    notices = [each for each in notices if any(code in each for code in found)]
    assert len(notices) == 1
    assert len(set(found)) > 1
    assert [code for code in found if code not in notices[0]] == []


@pytest.mark.parametrize("dialect", ["office", "collab"])
def test_a_notice_holds_nothing_that_only_the_bus_reads(project: Project, dialect: str) -> None:
    team = write(project, WITHOUT_EFFECT[dialect])

    [notice] = team.told(WITHOUT_EFFECT[dialect].author)

    assert "(palaver" not in notice


# --- where each one reads ---


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        pytest.param(approval("099", "emp-a1"), (r"task-099",), id="without-effect"),
        pytest.param(
            "Tell emp-a1 to use port 8080",
            (r"Tell emp-a1 to use port 8080", r"\[REPLY\] To"),
            id="quarantined",
        ),
        pytest.param(
            done("004", "emp-a1"),
            (r"task-004", r"(?i)deliver"),
            id="against-a-rule",
        ),
    ],
)
def test_the_manager_is_told_in_the_next_round(project: Project, line: str, facts: tuple[str, ...]) -> None:
    team = mount_team(project, "office")
    open_home_page(team)
    team.say("emp-a1", claim("004", "emp-a1"))
    project.do("继续检查看板", agent=MANAGER)
    team.say(MANAGER, line)

    told = project.do("继续检查看板", agent=MANAGER).out

    assert all(re.search(fact, told) for fact in facts)


@pytest.mark.parametrize(
    ("dialect", "line", "lead"),
    [
        # The director leads a swarm; of the two of a collab, A is the primary agent.
        pytest.param("swarm", post("", "@qa", "message", "Hello."), "td", id="swarm"),
        pytest.param("collab", "CLAWDY finished the price check", "jim", id="collab"),
    ],
)
def test_the_lead_is_told_of_a_line_whose_author_is_unknown(
    project: Project, dialect: str, line: str, lead: str
) -> None:
    team = mount_team(project, dialect)
    project.do("agents", "add", lead)

    team.say("somebody", line)

    assert team.told(lead)


def test_a_manager_line_in_an_employee_log_is_told_to_worker_and_manager(project: Project) -> None:
    team = mount_team(project, "office")
    open_home_page(team)
    team.say("emp-a1", claim("004", "emp-a1"))

    team.say("emp-a1", approval("004", "emp-a1"))

    assert any("manager-inbox.log" in told for told in team.told("emp-a1"))
    assert "employee-emp-a1.log" in project.do("继续检查看板", agent=MANAGER).out
    assert project.task("004")["state"] == "claimed"


# --- once, and never for a backlog ---


def test_the_same_mistake_of_the_same_author_is_told_once_an_hour(project: Project) -> None:
    team = mount_team(project, "collab")
    give_price(team)

    for price in ("64,000", "65,000", "66,000"):
        team.say("jim", chat("JIM", "CLAWDY", f"[DONE:price] {price}"))

    assert len(team.told("jim")) == 1


def test_another_mistake_of_the_same_author_is_told_too(project: Project) -> None:
    team = mount_team(project, "collab")
    give_price(team)

    team.say("clawdy", chat("CLAWDY", "JIM", "[BLOCKED:price] blocked!"))
    team.say("clawdy", chat("CLAWDY", "JIM", "[DONE:price] Done."))

    assert len(team.told("clawdy")) == 2


def test_what_was_told_is_not_told_again_after_a_rebuild(project: Project) -> None:
    team = write(project, WITHOUT_EFFECT["office"])
    before = team.told("emp-a1")

    project.do("rebuild")
    project.sync()

    assert team.told("emp-a1") == before


BACKLOG = (
    *(f"## Note {number}" for number in range(1, 24)),
    info("emp-a1", "I am here."),
    delivery("9", "emp-a1"),
)


def test_nobody_is_told_of_single_lines_of_a_backlog(project: Project) -> None:
    folder = create_folder(project, "office")
    project.append(folder / "messages/employee-emp-a1.log", *BACKLOG)

    project.do("mount", "add", "office", str(folder))
    project.sync()

    assert Team(project, "office", folder).told("emp-a1") == []


def test_a_backlog_gets_one_summary(project: Project) -> None:
    folder = create_folder(project, "office")
    project.append(folder / "messages/employee-emp-a1.log", *BACKLOG)

    # Who mounts is told at once, or the lead in the next round.
    mounted = project.do("mount", "add", "office", str(folder)).text
    told = mounted + project.do("继续检查看板", agent=MANAGER).out

    assert re.search(r"\b23\b", told.replace(str(project.folder), ""))


RULE_BREAKERS = {
    "office": ("emp-a1", claim("004", "emp-a1").replace("CLAIM", "claim")),
    "vermas": ("ceo", mail("project-a/qa", "project-a/workers/slot0", "Merged", "Yes.", type="MERGED")),
    "swarm": ("qa", post("qa", "@td", "message", "Using Redis.", reasoning="-")),
    "runbus": ("codex-impl-1", block("COMPLETE", "codex-impl-1", "Wrote it.")),
    "collab": ("clawdy", chat("CLAWDY", "JIM", "Let me know if it helps.")),
}


@pytest.mark.parametrize("dialect", RULE_BREAKERS)
def test_a_backlog_that_only_breaks_rules_gets_a_summary_too(project: Project, dialect: str) -> None:
    author, line = RULE_BREAKERS[dialect]
    folder = create_folder(project, dialect)
    project.append(Team(project, dialect, folder).write(author), line)

    project.do("mount", "add", dialect, str(folder))
    project.sync()

    [summary] = [str(each["body"]) for each in project.messages("first", "time")]
    assert re.search(r": 1 line broke a rule \(see `palaver lint`\)", summary)


def test_the_summary_counts_the_lines_without_effect(project: Project) -> None:
    folder = create_folder(project, "office")
    project.append(folder / "messages/employee-emp-a1.log", claim("9", "emp-a1"))
    project.append(folder / "messages/employee-emp-a2.log", claim("9", "emp-a2", minute(1)))

    project.do("mount", "add", "office", str(folder))
    project.sync()

    [summary] = [str(each["body"]) for each in project.messages("first", "time")]
    assert "1 line had no effect on a task" in summary


# --- lint and the live bus agree ---


@pytest.mark.parametrize("code", LINTED)
def test_a_line_that_lint_objects_to_is_told_to_its_author(project: Project, code: str) -> None:
    case = LINTED[code]
    team = mount_team(project, case.dialect)
    case.before(team)
    project.append(team.write(case.author), case.line)
    if code not in project.run("lint", str(team.folder)).out:
        raise RuntimeError(f"lint does not find {code}")

    project.sync()

    assert team.told(case.author)


CLEAN = {
    "office": (info("emp-a1", "The API uses port 8080."),),
    "vermas": (mail("ceo", "operations", "Plan", "Two factories."),),
    "swarm": (
        post("td", "@programmer", "task", "@programmer implement auth, task #2."),
        post("programmer", "@td", "task", "ACK: Claimed task #2. Starting implementation."),
        post("programmer", "@td", "status", "50% complete on auth module"),
    ),
    "runbus": (block("FACT", "claude-research-1", "There are two parsers."),),
    "collab": (
        chat("JIM", "CLAWDY", "[TASK:price-check] BTC price"),
        chat("CLAWDY", "JIM", "[DONE:price-check] BTC $94,230", at="03:15:46"),
        "2026-02-22 03:30:00 SYSTEM: Cron fired depin_health.sh",
        chat("CLAWDY", "JIM", "[DEPIN-HEALTH] grass=native:up nodepay=ext:up", at="03:30:01"),
        chat("JEREMY", "TEAM", "pause the bot overnight", at="04:00:00"),
    ),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_of_lines_that_lint_accepts_nobody_is_told_anything(project: Project, dialect: str) -> None:
    team = mount_team(project, dialect)
    project.do("agents", "add", "ceo", "operations")
    path = team.write("emp-a1")
    project.append(path, *CLEAN[dialect])
    lint = project.run("lint", str(path))
    if lint.code != 0:
        raise RuntimeError(f"lint objects: {lint.out}")

    project.sync()

    assert project.bus_lines(team.read) == []


@pytest.mark.parametrize("dialect", ["office", "swarm", "collab"])
def test_lint_accepts_the_lines_that_the_bus_writes(project: Project, dialect: str) -> None:
    team = write(project, WITHOUT_EFFECT[dialect])
    numbers = project.bus_line_numbers(team.read)
    if not numbers:
        raise RuntimeError("the bus wrote nothing")

    found = project.run("lint", str(team.folder)).out

    assert not [number for number in numbers if f"{team.read.name}:{number}: " in found]


def test_a_worker_who_is_answered_by_the_manager_is_told_nothing_else(project: Project) -> None:
    team = mount_team(project, "office")
    team.say("emp-a1", info("emp-a1", "Which port?"))

    team.say(MANAGER, reply("emp-a1", "8080."))

    assert team.told("emp-a1") == []
