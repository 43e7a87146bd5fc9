"""swarm: tasks, levels of autonomy, shutdown, and what the writer of a line is told."""

import json
from pathlib import Path

import pytest

from tests.acceptance.files import records
from tests.acceptance.swarm_team import SwarmTeam, channel_line


@pytest.fixture
def team(tmp_path: Path) -> SwarmTeam:
    return SwarmTeam(tmp_path)


# --- tasks ---


@pytest.mark.parametrize(
    ("before", "content", "state"),
    [
        ("", "ACK: Claimed task #2. Starting implementation.", "working"),
        ("ACK: Claimed task #2.", "BLOCKED: Task #2 needs API endpoint definitions.", "blocked"),
        ("ACK: Claimed task #2.", "HANDOFF: Task #2 complete. @qa run test suite.", "checking"),
        ("", "ACK: Starting implementation.", "working"),
        ("ACK: Claimed task #2.", "BLOCKED: Needs endpoint definitions.", "blocked"),
        ("ACK: Claimed task #2.", "HANDOFF: Complete. @qa run test suite.", "checking"),
    ],
)
def test_a_word_means_the_only_task_that_it_can_mean(
    team: SwarmTeam, before: str, content: str, state: str
) -> None:
    team.say("td", "Task #2: Build the auth module.", to=["@programmer"])
    if before:
        team.say("programmer", before)
    team.say("programmer", content, to=["@qa"])
    team.sync()

    assert team.state("2") == state


def test_a_word_without_a_number_moves_none_of_two_tasks(team: SwarmTeam) -> None:
    team.say("td", "Task #2: Build the auth module.", to=["@programmer"])
    team.say("td", "Task #3: Build the token module.", to=["@programmer"])
    team.say("programmer", "ACK: Starting implementation.")
    team.sync()

    assert (team.state("2"), team.state("3")) == ("assigned", "assigned")
    assert [line for line in team.told("@programmer") if "2 or 3" in str(line["content"])]


@pytest.mark.parametrize(
    "content",
    ["CLAIM: task #7", "I claim task #7.", "Claiming task #7.", "Claim task #7", "I'm claiming task #7."],
)
def test_a_claim_is_understood_as_people_write_it(team: SwarmTeam, content: str) -> None:
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", content)
    team.sync()

    assert team.state("7") == "working"


@pytest.mark.parametrize("content", ["Accepted.", "Accepted: task #7", "I accept task #7."])
def test_td_accepts_delivered_work_in_plain_words(team: SwarmTeam, content: str) -> None:
    team.say("td", "Task #7: Build the parser.", to=["@programmer"])
    team.say("td", "Task #8: Build the lexer.", to=["@programmer"])
    team.say("programmer", "Completed task #7. It parses.")
    team.sync()
    delivered = team.state("7")
    team.say("td", content, kind="message", to=["@programmer"])
    team.sync()

    assert (delivered, team.state("7"), team.state("8")) == ("delivered", "done", "assigned")


# --- autonomy ---


@pytest.mark.parametrize(
    "content",
    [
        "AUTONOMY_UPDATE: programmer → gated. Ask first.",
        "AUTONOMY_UPDATE: programmer -> gated. Ask first.",
        "AUTONOMY_UPDATE: programmer → GATED. Ask first.",
        "Autonomy_Update: Programmer → Gated. Ask first.",
        "AUTONOMY_UPDATE: programmer â†’ gated. Ask first.",
    ],
)
def test_a_level_of_autonomy_is_understood_as_people_write_it(team: SwarmTeam, content: str) -> None:
    team.say("td", content, kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.")
    team.sync()

    # A claim of a gated agent waits for td.
    assert team.state("7") == "claimed"


def test_the_claim_of_an_autonomous_agent_takes_effect(team: SwarmTeam) -> None:
    team.say("td", "AUTONOMY_UPDATE: programmer → autonomous.", kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.")
    team.sync()

    assert team.state("7") == "working"


def test_the_claim_of_a_supervised_agent_takes_effect(team: SwarmTeam) -> None:
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.")
    team.sync()

    assert team.state("7") == "working"


def test_td_is_told_of_the_claim_of_a_supervised_agent(team: SwarmTeam) -> None:
    team.say("td", "Task #7: Build the parser.", to=None)
    # The claim itself is not for td.
    team.say("programmer", "Claimed task #7.", to=["@qa"])
    team.sync()

    assert [line for line in team.told("@td") if "programmer" in str(line) and "7" in str(line["content"])]


def test_td_is_told_of_the_claim_of_a_gated_agent(team: SwarmTeam) -> None:
    team.say("td", "AUTONOMY_UPDATE: programmer → gated.", kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.", to=["@qa"])
    team.sync()

    assert [line for line in team.told("@td") if "approv" in str(line["content"])]


@pytest.mark.parametrize(
    "content",
    [
        "[APPROVE:#7] Go ahead.",
        "Approved. Go ahead with task #7.",
        "APPROVED: task #7",
        "Approved, go ahead.",
        "Yes, go ahead.",
        "I approve your claim of task #7.",
    ],
)
@pytest.mark.parametrize("kind", ["message", "decision"])
def test_td_approves_the_claim_of_a_gated_agent_in_plain_words(
    team: SwarmTeam, content: str, kind: str
) -> None:
    team.say("td", "AUTONOMY_UPDATE: programmer → gated.", kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.")
    team.say("td", content, kind=kind, to=["@programmer"])
    team.sync()

    assert team.state("7") == "working"


def test_td_is_told_the_line_that_approves_a_claim(team: SwarmTeam) -> None:
    team.say("td", "AUTONOMY_UPDATE: programmer → gated.", kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.", to=["@qa"])
    team.sync()

    [notice] = team.told("@td")
    line = str(notice["content"]).partition(" Write: ")[2]
    team.project.say(team.channel, line.replace("<ISO timestamp>", "2026-01-25T23:46:00.000Z"))

    assert team.state("7") == "working"


def test_an_answer_that_begins_with_yes_approves_no_claim(team: SwarmTeam) -> None:
    team.say("td", "AUTONOMY_UPDATE: programmer → gated.", kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.")
    team.say("td", "Yes, the API is in v2.", kind="message", to=["@programmer"])
    team.sync()

    assert team.state("7") == "claimed"


def test_palaver_agents_shows_the_level(team: SwarmTeam) -> None:
    team.say("td", "AUTONOMY_UPDATE: programmer → gated.", kind="autonomy", to=["@programmer"])

    agents = team.project.do("agents").out.splitlines()

    assert [line for line in agents if line.startswith("programmer") and "gated" in line]
    assert [line for line in agents if line.startswith("qa") and "supervised" in line]


def test_a_change_of_autonomy_that_is_not_understood_is_answered(team: SwarmTeam) -> None:
    team.say("td", "AUTONOMY_UPDATE: architect is now free.", kind="autonomy", to=["@architect"])
    team.sync()

    answer = " ".join(str(line["content"]) for line in team.told("@td"))
    assert "AUTONOMY_UPDATE: architect" in answer
    assert "autonomous" in answer


def test_a_change_of_autonomy_of_an_unknown_agent_is_answered(team: SwarmTeam) -> None:
    team.say("td", "AUTONOMY_UPDATE: programer → gated.", kind="autonomy", to=["@programmer"])
    team.sync()

    answer = " ".join(str(line["content"]) for line in team.told("@td"))
    assert "programer" in answer
    assert "AUTONOMY_UPDATE: programmer → gated" in answer


def test_a_change_of_autonomy_by_another_agent_is_refused_and_answered(team: SwarmTeam) -> None:
    team.say("qa", "AUTONOMY_UPDATE: programmer → gated.", kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.")
    team.sync()

    assert team.state("7") == "working"
    [told] = team.told("@qa")
    said, _, line = str(told["content"]).partition(" Write: ")
    assert said == "Your change of autonomy had no effect: only td may change autonomy; ask td."
    # What an agent may do is ask.
    request = json.loads(line)
    assert (request["from"], request["to"], request["type"]) == ("qa", ["@td"], "request")
    assert "AUTONOMY_UPDATE: programmer → gated" in request["content"]


# --- requests and mentions ---


@pytest.mark.parametrize("answer", ["Approved.", "Rejected: too slow.", "Use Redis."])
def test_a_request_for_approval_is_answered_in_plain_words(team: SwarmTeam, answer: str) -> None:
    team.say("programmer", "Request @td approval for external dependency", kind="request")
    asked = team.project.questions()
    team.say("td", answer, kind="message", to=["@programmer"])

    assert len(asked) == 1
    assert team.project.waits() == []


def test_a_plain_reply_acknowledges_a_mention(team: SwarmTeam) -> None:
    team.say("programmer", "@architect please clarify the scope.", kind="message", to=["@td"])
    mentioned = team.project.waits()
    team.say("architect", "Endpoints are in api.md.", kind="message", to=["@programmer"])

    assert [wait["movers"] for wait in mentioned] == [["architect"]]
    assert team.project.waits() == []


def test_work_is_handed_on_though_it_was_blocked(team: SwarmTeam) -> None:
    team.say("td", "Task #2: Build the auth module.", to=["@programmer"])
    team.say("programmer", "BLOCKED: Task #2 needs API endpoint definitions.", kind="status")
    team.say("programmer", "HANDOFF: Auth module complete. @qa run it. @critic look.", to=["@qa", "@critic"])
    team.sync()

    assert team.state("2") == "checking"


# --- shutdown ---

REQUEST = "SHUTDOWN_REQUEST: Please complete current work and confirm ready for shutdown."


def test_a_shutdown_is_asked_for_by_td_and_confirmed_by_the_agent(team: SwarmTeam) -> None:
    team.say("td", REQUEST, kind="system", to=["@programmer"])
    asked = team.project.waits()
    team.say(
        "programmer", "SHUTDOWN_ACK: Ready for shutdown. Final status: 5 tasks completed.", kind="system"
    )
    confirmed = team.project.waits()

    assert [(wait["waiter"], wait["movers"]) for wait in asked] == [("td", ["programmer"])]
    assert confirmed == []


def test_nobody_waits_for_a_shutdown_that_td_did_not_ask_for(team: SwarmTeam) -> None:
    team.say("qa", REQUEST, kind="system", to=["@programmer"])

    assert team.project.waits() == []


def test_an_agent_that_asks_for_a_shutdown_without_being_td_is_told(team: SwarmTeam) -> None:
    team.say("qa", REQUEST, kind="system", to=["@programmer"])
    team.sync()

    assert "td" in " ".join(str(line["content"]) for line in team.told("@qa"))


# --- what the writer of a line is told, and how the bus writes its own ---


def test_missing_reasoning_is_told_to_the_writer(team: SwarmTeam) -> None:
    line = json.loads(channel_line("critic", "Using Redis for caching.", kind="decision"))
    team.project.append(team.channel, json.dumps({key: line[key] for key in line if key != "reasoning"}))
    team.sync()

    assert "reasoning" in " ".join(str(line["content"]) for line in team.told("@critic"))


def test_a_notice_of_the_bus_gives_its_reasoning_in_a_sentence(team: SwarmTeam) -> None:
    team.say("td", "Hello?", kind="message", to=["@nosuch"])
    team.sync()

    (notice,) = team.told("@td")
    assert len(str(notice["reasoning"]).split()) > 2


def test_the_reasoning_of_a_notice_says_why_it_was_written(team: SwarmTeam) -> None:
    team.say("td", "Hello?", kind="message", to=["@nosuch"])
    team.say("td", "AUTONOMY_UPDATE: programmer → gated.", kind="autonomy", to=["@programmer"])
    team.say("td", "Task #7: Build the parser.", to=None)
    team.say("programmer", "Claimed task #7.", to=["@qa"])
    team.say("critic", REQUEST, kind="system", to=["@programmer"])
    team.say("qa", "ACK: Claimed task #2.", kind="message")
    stamp = "2026-11-15T11:43:34.000Z"
    line = {"ts": stamp, "from": "gm", "to": None, "type": "message", "content": "No reason."}
    team.project.append(team.channel, json.dumps(line))
    team.sync()

    reasons = [str(line["reasoning"]) for line in records(team.channel) if line["from"] == "palaver"]
    assert reasons
    words = ["no agent has", "gated agent waits", "Only the director ends", "by the type first"]
    for word in [*words, "reason for its action"]:
        assert [reason for reason in reasons if word in reason], word


def test_a_message_without_a_reason_is_written_with_a_real_sentence(team: SwarmTeam) -> None:
    team.project.do("send", "programmer", "-m", "Hello", agent="pat")

    (line,) = records(team.channel)
    assert len(str(line["reasoning"]).split()) > 2


def test_two_whole_records_on_one_line_are_both_read(team: SwarmTeam) -> None:
    team.project.append(team.channel, channel_line("critic", "First glued.", kind="message"), end="")
    team.say("qa", "Second glued.", kind="message")

    inbox = team.project.do("inbox", "--as", "td").out

    assert "First glued." in inbox
    assert "Second glued." in inbox
