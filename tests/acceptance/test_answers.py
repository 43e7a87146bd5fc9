"""A plain reply is an answer, and what is settled is waited for no more."""

from collections.abc import Callable

import pytest

from tests.acceptance.lines import MANAGER, approval, block, block_id, chat, claim, info, mail, post, reply
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team

SUPERVISOR = "project-a/supervisor"
SLOT = "project-a/workers/slot0"
QUESTION = block_id("claude-impl-1")


def ask_collab(team: Team) -> None:
    team.append("clawdy", chat("CLAWDY", "JIM", "[QUESTION:auth] Which API key should I use for Kraken?"))


def ask_swarm(team: Team) -> None:
    team.append("programmer", post("programmer", "@td", "request", "Request @td approval for a dependency"))


def ask_office(team: Team) -> None:
    team.append("emp-a1", info("emp-a1", "I am here."))
    team.project.do("send", "emp-a1", "-m", "Which branch?", "--act", "ask", agent=MANAGER)


def ask_vermas(team: Team) -> None:
    team.project.do("agents", "add", SLOT, SUPERVISOR)
    team.append(SLOT, mail(SLOT, SUPERVISOR, "Stuck", "Which branch?", type="HELP"))


def ask_runbus(team: Team) -> None:
    team.project.do("agents", "add", "orchestrator")
    team.append(
        "claude-impl-1", block("QUESTION", "claude-impl-1", "@orchestrator Which parser?", name=QUESTION)
    )


ASK: dict[str, Callable[[Team], None]] = {
    "collab": ask_collab,
    "swarm": ask_swarm,
    "office": ask_office,
    "vermas": ask_vermas,
    "runbus": ask_runbus,
}


def asked(project: Project, dialect: str) -> Team:
    """Mount a team, and let one agent ask another."""
    team = mount_team(project, dialect)
    ASK[dialect](team)
    if not project.questions():
        raise RuntimeError("nobody asks anything")
    return team


ANSWERS = [
    pytest.param("collab", "jim", chat("JIM", "CLAWDY", "Use the read-only one."), id="collab"),
    pytest.param(
        "swarm",
        "td",
        post("td", "@programmer", "message", "Fine, use it."),
        id="swarm-message",
    ),
    pytest.param(
        "swarm",
        "td",
        post("td", "@programmer", "decision", "We use it."),
        id="swarm-decision",
    ),
    pytest.param("office", "emp-a1", info("emp-a1", "The main branch."), id="office-worker"),
    pytest.param("vermas", SUPERVISOR, mail(SUPERVISOR, SLOT, "Re: Stuck", "main"), id="vermas"),
    pytest.param(
        "runbus",
        "orchestrator",
        block("FACT", "orchestrator", "@claude-impl-1 The second one."),
        id="runbus-fact",
    ),
    pytest.param(
        "runbus",
        "orchestrator",
        block("DECISION", "orchestrator", "@claude-impl-1 We keep the second one."),
        id="runbus-decision",
    ),
    pytest.param(
        "runbus",
        "orchestrator",
        block("ANSWER", "orchestrator", "The second one.", more=f"relatesTo: {QUESTION}"),
        id="runbus-answer",
    ),
]


@pytest.mark.parametrize(("dialect", "author", "line"), ANSWERS)
def test_a_plain_reply_to_the_one_who_asked_closes_the_question(
    project: Project, dialect: str, author: str, line: str
) -> None:
    team = asked(project, dialect)

    team.append(author, line)

    assert project.questions() == []


def test_the_reply_of_a_manager_closes_the_question_of_a_worker(project: Project) -> None:
    team = mount_team(project, "office")
    team.append("emp-a1", info("emp-a1", "Which port?"))
    if not project.questions():
        raise RuntimeError("nobody asks anything")

    team.append(MANAGER, reply("emp-a1", "8080."))

    assert project.questions() == []


def test_a_plain_message_by_command_closes_the_question(project: Project) -> None:
    project.do("agents", "add", "ada", "bob")
    project.do("send", "bob", "-m", "Which port?", "--act", "ask", agent="ada")

    project.do("send", "ada", "-m", "8080.", agent="bob")

    assert project.questions() == []


@pytest.mark.parametrize(
    ("dialect", "author", "line"),
    [
        pytest.param("collab", "jim", chat("JIM", "CLAWDY", "[TASK:price] Get BTC"), id="collab-task"),
        pytest.param("collab", "jim", chat("JIM", "CLAWDY", "[STATUS:auth] Half way."), id="collab-status"),
        pytest.param("collab", "jim", chat("JIM", "CLAWDY", "[QUESTION:x] Which one?"), id="collab-question"),
        pytest.param("collab", "jeremy", chat("JEREMY", "CLAWDY", "Good morning."), id="somebody-else"),
        pytest.param(
            "swarm",
            "td",
            post("td", "@programmer", "task", "@programmer fix auth, task #3."),
            id="swarm-task",
        ),
    ],
)
def test_work_reports_and_questions_do_not_close_a_question(
    project: Project, dialect: str, author: str, line: str
) -> None:
    team = asked(project, dialect)
    [before] = project.questions()

    team.append(author, line)

    assert before["message"] in [each["message"] for each in project.questions()]


def test_after_a_plain_answer_a_new_task_breaks_no_rule(project: Project) -> None:
    team = asked(project, "collab")

    team.append("jim", chat("JIM", "CLAWDY", "Use the read-only one."))
    team.say("jim", chat("JIM", "CLAWDY", "[TASK:price] Get BTC from CoinGecko"))

    assert team.told("jim") == []


def test_a_new_task_before_the_answer_breaks_the_first_rule(project: Project) -> None:
    team = asked(project, "collab")

    team.say("jim", chat("JIM", "CLAWDY", "[TASK:price] Get BTC from CoinGecko"))

    assert len(team.told("jim")) == 1


def test_a_plain_reply_closes_the_oldest_question_and_is_marked_as_assumed(project: Project) -> None:
    team = asked(project, "collab")
    [oldest] = project.questions()
    team.append("clawdy", chat("CLAWDY", "JIM", "[QUESTION:size] How many coins?"))

    team.append("jim", chat("JIM", "CLAWDY", "Use the read-only one."))

    [answer] = project.messages("read-only")
    assert answer["reply_to"] == oldest["message"]
    assert "assumed" in str(answer["meta"])
    assert [each["gist"] for each in project.questions()] == ["How many coins?"]


def test_an_answer_tag_closes_the_question_of_its_topic(project: Project) -> None:
    team = asked(project, "collab")
    team.append("clawdy", chat("CLAWDY", "JIM", "[QUESTION:size] How many coins?"))

    team.append("jim", chat("JIM", "CLAWDY", "[ANSWER:size] Two."))

    [left] = project.questions()
    assert "Kraken" in str(left["gist"])


# --- whatever is settled ---


def test_a_claim_that_is_approved_is_waited_for_no_more(project: Project) -> None:
    team = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent=MANAGER)
    team.append("emp-a1", claim("004", "emp-a1"))
    if [each["kind"] for each in project.waits()] != ["approval"]:
        raise RuntimeError(f"not the claim alone: {project.waits()}")

    team.append(MANAGER, approval("004", "emp-a1"))

    assert project.waits() == []


def test_a_task_that_is_taken_and_done_is_waited_for_no_more(project: Project) -> None:
    team = mount_team(project, "collab")
    team.append("jim", chat("JIM", "CLAWDY", "[TASK:price] Get BTC from CoinGecko"))
    if [each["kind"] for each in project.waits()] != ["start"]:
        raise RuntimeError(f"not the task alone: {project.waits()}")

    team.append("clawdy", chat("CLAWDY", "JIM", "[DONE:price] BTC $94,230"))

    assert project.waits() == []


def test_a_block_that_is_lifted_is_waited_for_no_more(project: Project) -> None:
    team = mount_team(project, "collab")
    team.append("jim", chat("JIM", "CLAWDY", "[TASK:price] Get BTC from CoinGecko"))
    team.append("clawdy", chat("CLAWDY", "JIM", "[BLOCKED:price] CoinGecko 429 rate limit"))
    if [each["kind"] for each in project.waits()] != ["block"]:
        raise RuntimeError(f"not the block alone: {project.waits()}")

    team.append("clawdy", chat("CLAWDY", "JIM", "[DONE:price] BTC $94,230 from Kraken"))

    assert project.waits() == []


def test_a_question_about_a_task_that_is_done_is_waited_for_no_more(project: Project) -> None:
    team = mount_team(project, "collab")
    team.append("jim", chat("JIM", "CLAWDY", "[TASK:price] Get BTC from CoinGecko"))
    team.append("clawdy", chat("CLAWDY", "JIM", "[QUESTION:price] In which currency?"))

    team.append("clawdy", chat("CLAWDY", "JIM", "[DONE:price] BTC $94,230"))

    assert project.waits() == []
