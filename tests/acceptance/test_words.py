"""Messages that leave a dialect reach the one they concern, and keep their words."""

import pytest

from tests.acceptance.lines import MANAGER, block, chat, claim, delivery, info, mail, post, work_order
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team

# --- work follows its owner ---


def test_the_result_of_an_office_worker_reaches_the_owner_in_a_chat(project: Project) -> None:
    office = mount_team(project, "office")
    pair = mount_team(project, "collab")
    office.say("emp-a1", info("emp-a1", "I am here."))
    pair.say("jim", chat("JIM", "EMP-A1", "[TASK:price] Get BTC from CoinGecko"))

    office.say("emp-a1", delivery("price", "emp-a1"))

    assert any("[DONE:price]" in line for line in pair.told("jim"))


def test_a_result_said_to_whoever_is_at_hand_reaches_the_director(project: Project) -> None:
    swarm = mount_team(project, "swarm")
    pair = mount_team(project, "collab")
    swarm.say("td", post("td", "@clawdy", "task", "@clawdy get the BTC price, task #13."))
    pair.say("clawdy", chat("CLAWDY", "JIM", "[ACK:13] On it."))

    pair.say("clawdy", chat("CLAWDY", "JIM", "[DONE:13] BTC $94,230"))

    assert any("94,230" in text for text in swarm.told("td"))


def test_a_result_said_to_whoever_is_at_hand_reaches_the_manager(project: Project) -> None:
    office = mount_team(project, "office")
    pair = mount_team(project, "collab")
    project.do("task", "open", "BTC price", "--id", "13", agent=MANAGER)
    project.do("task", "assign", "13", "clawdy", agent=MANAGER)
    pair.say("clawdy", chat("CLAWDY", "JIM", "[ACK:13] On it."))

    pair.say("clawdy", chat("CLAWDY", "JIM", "[DONE:13] BTC $94,230"))

    # The manager reads the log of the one who speaks, and looks for the template.
    log = project.bus_lines(office.folder / "messages/employee-clawdy.log")
    assert any("[DELIVERY] task-13 | by: clawdy" in line and "94,230" in line for line in log)


def test_a_result_said_to_whoever_is_at_hand_reaches_the_owner_of_a_work_order(project: Project) -> None:
    company = mount_team(project, "vermas")
    swarm = mount_team(project, "swarm")
    project.append(company.folder / ".work/work_orders.jsonl", work_order("wo-1"))
    project.sync()
    swarm.say("programmer", post("programmer", "@qa", "task", "Claimed task #wo-1. Starting."))

    swarm.say("programmer", post("programmer", "@qa", "task", "Completed task #wo-1. Tests pass."))

    assert any("Tests pass." in text for text in company.told("ceo"))


def test_a_result_said_to_whoever_is_at_hand_reaches_the_orchestrator(project: Project) -> None:
    run = mount_team(project, "runbus")
    pair = mount_team(project, "collab")
    run.say("orchestrator", block("TASK", "orchestrator", "@clawdy write the parser"))

    pair.say("clawdy", chat("CLAWDY", "JIM", "[DONE:parser] 40 tests green"))

    lines = project.bus_lines(run.read)
    assert "type: COMPLETE" in lines
    assert "40 tests green" in lines


def test_a_handoff_to_another_team_is_for_the_one_who_gets_the_task_alone(project: Project) -> None:
    swarm = mount_team(project, "swarm")
    pair = mount_team(project, "collab")
    project.do("task", "open", "BTC price", "--id", "13", agent="pat")
    swarm.say("programmer", post("programmer", "@td", "task", "Claimed task #13. Starting."))

    swarm.say("programmer", post("programmer", "@clawdy", "task", "HANDOFF: Task #13 is yours now."))

    # Finished work is passed on to exactly one agent: with the owner as a second one it would have no effect.
    assert project.task("13")["state"] == "checking"
    assert any("13" in line for line in pair.told("clawdy"))


def test_the_claim_of_an_office_worker_reaches_the_owner_in_a_channel(project: Project) -> None:
    swarm = mount_team(project, "swarm")
    office = mount_team(project, "office")
    project.do("task", "open", "Home Page", "--id", "004", "--approval", agent="td")

    office.say("emp-a1", claim("004", "emp-a1"))

    assert project.task("004")["holder"] == "emp-a1"
    assert any("004" in text for text in swarm.told("td"))


# --- the words stay readable ---

BODY = "Parser (v2) is 100% ready | see the notes; the menu follows tomorrow."


def send_words(project: Project, to: str) -> None:
    """Send words with a subject and a file from another dialect."""
    (project.folder / "site map.html").write_text("x")
    words = ("-m", BODY, "-s", "Home page", "--file", "site map.html")
    project.do("send", to, *words, agent="td")


def receiver(project: Project, dialect: str) -> tuple[Team, str]:
    """Mount a swarm and another team, and return that team and an agent of it."""
    mount_team(project, "swarm")
    team = mount_team(project, dialect)
    agent = {"office": "emp-a1", "vermas": "ceo", "runbus": "claude-impl-1", "collab": "jim"}[dialect]
    first = {
        "office": info("emp-a1", "I am here."),
        "vermas": mail("ceo", "operations", "Plan", "Two factories."),
        "runbus": block("FACT", "claude-impl-1", "There are two parsers."),
        "collab": chat("JIM", "CLAWDY", "Good morning."),
    }[dialect]
    team.say(agent, first)
    return team, agent


@pytest.mark.parametrize(
    "dialect",
    ["office", "collab"],
)
def test_the_words_of_a_message_stand_in_the_file_as_they_were_said(project: Project, dialect: str) -> None:
    team, agent = receiver(project, dialect)

    send_words(project, agent)

    [told] = team.told(agent)
    assert BODY in told
    assert "[INFORM" not in told


@pytest.mark.parametrize(
    "dialect",
    [
        "office",
        "collab",
        "vermas",
        "runbus",
    ],
)
def test_a_reader_of_the_file_alone_sees_subject_and_files(project: Project, dialect: str) -> None:
    team, agent = receiver(project, dialect)

    send_words(project, agent)

    text = "\n".join(project.bus_lines(team.read))
    assert "Home page" in text
    assert "site map.html" in text
    assert "[INFORM" not in text


def test_a_bar_is_not_escaped_in_the_free_text_of_an_info(project: Project) -> None:
    office = mount_team(project, "office")
    mount_team(project, "swarm")

    project.do("send", MANAGER, "-m", BODY, agent="td")

    [line] = project.bus_lines(office.folder / "messages/employee-td.log")
    assert line.split("by: td | ")[1] == BODY


@pytest.mark.parametrize("dialect", ["office", "collab"])
def test_a_backslash_is_not_escaped_on_a_line_without_other_escapes(project: Project, dialect: str) -> None:
    team, agent = receiver(project, dialect)
    body = r"It is in C:\new, see \d+ in the notes."

    project.do("send", agent, "-m", body, agent="td")

    [told] = team.told(agent)
    assert body in told


def test_the_files_of_a_delivery_stand_in_the_chat_in_plain_text(project: Project) -> None:
    office = mount_team(project, "office")
    pair = mount_team(project, "collab")
    office.say("emp-a1", info("emp-a1", "I am here."))
    pair.say("jim", chat("JIM", "EMP-A1", "[TASK:price] Get BTC from CoinGecko"))

    office.say("emp-a1", delivery("price", "emp-a1"))

    [line] = [line for line in pair.told("jim") if "[DONE:price]" in line]
    assert "home.html" in line.split(" (palaver ")[0]
    assert "%" not in line


def test_a_plain_message_of_a_chat_arrives_plainly_in_a_channel(project: Project) -> None:
    swarm = mount_team(project, "swarm")
    pair = mount_team(project, "collab")

    pair.say("clawdy", chat("CLAWDY", "QA", "Prices are in prices.csv | one a line."))

    assert swarm.told("qa") == ["Prices are in prices.csv | one a line."]
