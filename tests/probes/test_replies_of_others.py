"""Replies in the name of another agent: they are delivered, and take nothing out of its inbox."""

import json

import pytest

from tests.acceptance.project import Answer, Project
from tests.acceptance.trust.agent_run import AgentRun
from tests.probes.settings import set_policy


def ask(project: Project, agent: str) -> str:
    """Let boss ask an agent something; return the id of the question."""
    sent = project.do("send", agent, "--act", "ask", "-m", "Which one?", "--json", agent="boss")
    return str(sent.fields["id"])


def open_mail(project: Project, agent: str) -> set[str]:
    listed = project.do("inbox", "--json", agent=agent).fields["messages"]
    assert isinstance(listed, list)
    return {str(each["id"]) for each in listed}


def assert_still_open(project: Project, agent: str, question: str, sent: Answer) -> None:
    assert sent.code == 0, sent
    assert question in open_mail(project, agent)
    assert len(project.questions()) == 1
    # It was delivered all the same.
    assert len(open_mail(project, "boss")) == 1


WAYS = [
    pytest.param(("reply", "{id}", "-m", "This one."), id="reply"),
    pytest.param(("send", "boss", "--reply-to", "{id}", "-m", "This one."), id="send"),
    pytest.param(("send", "boss", "--reply-to", "{id}", "--act", "answer", "-m", "This one."), id="answer"),
]


@pytest.mark.parametrize("words", WAYS)
@pytest.mark.parametrize("identity", ["open", "strict"])
def test_a_reply_inside_the_run_of_another_agent_leaves_the_mail(
    project: Project, bob: AgentRun, words: tuple[str, ...], identity: str
) -> None:
    set_policy(project, identity=identity)
    question = ask(project, "carol")

    sent = bob.run(*(each.format(id=question) for each in words), "--as", "carol")

    assert_still_open(project, "carol", question, sent)


@pytest.mark.parametrize("words", WAYS)
def test_under_strict_a_reply_without_proof_leaves_the_mail(project: Project, words: tuple[str, ...]) -> None:
    set_policy(project, identity="strict")
    question = ask(project, "carol")

    sent = project.run(*(each.format(id=question) for each in words), agent="carol")

    assert_still_open(project, "carol", question, sent)
    assert "stays open in the inbox of carol" in sent.err


def test_a_message_in_another_name_answers_no_question(project: Project, bob: AgentRun) -> None:
    question = ask(project, "carol")

    sent = bob.run("send", "boss", "--act", "answer", "-m", "This one.", "--as", "carol")

    assert_still_open(project, "carol", question, sent)


def test_a_reply_in_the_own_name_closes_the_mail(project: Project, bob: AgentRun) -> None:
    set_policy(project, identity="strict")
    question = ask(project, "bob")

    sent = bob.run("reply", question, "-m", "This one.")

    assert sent.code == 0, sent
    assert sent.err == ""
    assert question not in open_mail(project, "bob")
    assert project.questions() == []


@pytest.mark.parametrize("identity", ["", "open"])
def test_under_strict_a_line_closes_the_mail_only_if_its_mount_says_so(
    project: Project, identity: str
) -> None:
    settings = [f"identity={identity}"] if identity else []
    channel = project.mount("swarm", *settings, name="team") / "channel.jsonl"
    set_policy(project, identity="strict")
    question = ask(project, "carol")
    line = {"ts": "2026-01-25T23:45:00.000Z", "from": "carol", "to": ["@boss"], "type": "message"}

    project.say(channel, json.dumps({**line, "reasoning": "r", "content": "This one.", "re": question}))

    closed = question not in open_mail(project, "carol")
    assert (closed, project.questions() == []) == (identity == "open",) * 2
