"""Polls in the name of another agent: by them an office counts time, and takes work from silent agents."""

import pytest

from tests.acceptance.lines import MANAGER, claim
from tests.acceptance.project import PALAVER, Answer, Project
from tests.acceptance.teams import mount_team
from tests.acceptance.trust.agent_run import AgentRun
from tests.probes.settings import set_policy

UNNAMED = ("env", "-u", "PALAVER_AGENT", "-u", "AGENT_ID", PALAVER)


@pytest.fixture(params=["open", "strict"])
def office(request: pytest.FixtureRequest, project: Project) -> Project:
    """Return a project with an office in which carol has claimed a task."""
    team = mount_team(project, "office", "prefix=")
    team.say("carol", claim("001", "carol"))
    set_policy(project, identity=request.param)
    return project


def is_only_news(project: Project, answer: Answer) -> bool:
    is_told = answer.code == 0 and "palaver: this poll does not count: it was done inside" in answer.err
    return is_told and project.events("agent.polled") == []


def test_a_poll_in_the_name_of_the_manager_only_shows_the_news(office: Project, bob: AgentRun) -> None:
    polled = bob.run("continue", "--manager", "--as", MANAGER)

    assert is_only_news(office, polled), polled
    assert "carol wants" in polled.out


def test_a_phrase_without_a_name_is_no_poll_of_the_manager_either(office: Project, bob: AgentRun) -> None:
    polled = bob.execute(*UNNAMED, "继续检查看板")

    assert is_only_news(office, polled), polled


def test_a_poll_in_the_name_of_a_worker_is_no_sign_of_its_life(office: Project, bob: AgentRun) -> None:
    polled = bob.run("continue", "--as", "carol")

    assert is_only_news(office, polled), polled
    assert not [mail for mail in office.messages("waiting") if mail["from"] == "carol"]


def test_an_agent_polls_in_its_own_run(office: Project, bob: AgentRun) -> None:
    polled = bob.run("continue")

    assert (polled.code, polled.err) == (0, "")
    assert [event["actor"] for event in office.events("agent.polled")] == ["bob"]
