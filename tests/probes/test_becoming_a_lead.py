"""An agent that gives itself, or a friend, what makes an agent a lead."""

import json
from pathlib import Path

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.agent_run import AgentRun
from tests.probes.settings import claim, set_policy

# Whom the policy names, and a command that lets bob be it.
GRABS = {
    "role": ("lead", ("agents", "add", "bob", "--role", "lead")),
    "handle": ("chief", ("agents", "add", "bob", "--handle", "chief")),
    "handle-of-a-lead": ("boss", ("agents", "add", "bob", "--handle", "boss")),
    "role-of-a-friend": ("lead", ("agents", "add", "dave", "--role", "lead")),
    "list": ("crew", ("lists", "set", "crew", "bob")),
    "list-with-a-sign": ("crew", ("lists", "set", "crew", "@bob")),
    "list-of-roles": ("crew", ("lists", "set", "crew", "team")),
    "mount": ("manager", ("mount", "add", "office", "{mount}", "--set", "manager=bob")),
}


@pytest.fixture(params=["open", "strict"])
def identity(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("grab", GRABS)
def test_an_agent_does_not_make_itself_a_lead(
    project: Project, bob: AgentRun, identity: str, grab: str
) -> None:
    lead, words = GRABS[grab]
    project.do("agents", "add", "bob", "--role", "team", agent="ada")
    claim(project)
    set_policy(project, identity=identity, leads=("carol", lead))
    (project.folder / "office").mkdir()

    grabbed = bob.run(*(each.format(mount=project.folder / "office") for each in words))
    approved = bob.run("task", "approve", "t7")

    assert grabbed.code == 4, grabbed
    assert approved.code == 4, approved
    assert project.task("t7")["state"] == "claimed"


def test_a_lead_makes_another_agent_a_lead(project: Project, tmp_path: Path, identity: str) -> None:
    claim(project)
    set_policy(project, identity=identity, leads=("carol", "lead"))
    carol = AgentRun(project, "carol", tmp_path)
    try:
        made = carol.run("agents", "add", "dave", "--role", "lead")
    finally:
        carol.stop()

    assert made.code == 0, made


def test_the_user_makes_an_agent_a_lead_outside_of_any_run(project: Project) -> None:
    set_policy(project, leads=("lead",))

    assert project.run("agents", "add", "boss", "--role", "lead").code == 0
    assert project.run("agents", "add", "boss", "--handle", "b", agent="ada").code == 0


def test_the_first_registration_of_an_agent_that_the_policy_names_takes_no_lead(
    project: Project, bob: AgentRun
) -> None:
    set_policy(project, leads=("td",))

    assert bob.run("agents", "add", "td").code == 0


# What an agent is given: a role and a handle bring it the mail of others, a level their tasks.
RANKS = {
    "role": ("--role", "lead"),
    "handle": ("--handle", "chief"),
    "level": ("--level", "5"),
}


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("agent", ["bob", "carol", "dave"], ids=["itself", "another", "a-new-one"])
def test_inside_a_run_an_agent_that_does_not_lead_gives_no_role_handle_or_level(
    project: Project, bob: AgentRun, identity: str, agent: str, rank: str
) -> None:
    set_policy(project, identity=identity, leads=("boss",))
    before = project.do("agents", "--json").rows

    given = bob.run("agents", "add", agent, *RANKS[rank])
    in_another_name = bob.run("agents", "add", agent, *RANKS[rank], "--as", "boss")

    assert (given.code, in_another_name.code) == (4, 4), (given, in_another_name)
    assert "not-permitted" in given.err
    assert project.do("agents", "--json").rows == before


@pytest.mark.parametrize("rank", RANKS)
def test_inside_its_run_a_lead_gives_a_role_a_handle_and_a_level(
    project: Project, bob: AgentRun, identity: str, rank: str
) -> None:
    set_policy(project, identity=identity, leads=("bob",))

    for agent in ("bob", "carol", "dave"):
        given = bob.run("agents", "add", agent, *RANKS[rank])

        assert given.code == 0, given
        event = project.events("agent.registered")[-1]
        assert (event["actor"], event["auth"]) == ("bob", "token")
        assert event["inside"] == {"run": bob.variable("PALAVER_RUN"), "agent": "bob"}


def test_inside_a_run_an_agent_registers_others_and_says_what_they_are_about(bob: AgentRun) -> None:
    assert bob.run("agents", "add", "dave", "--about", "reads code").code == 0
    assert bob.run("agents", "add", "bob", "--about", "writes code").code == 0


def test_an_event_that_makes_an_agent_a_lead_has_no_effect_without_the_power(
    project: Project, bob: AgentRun
) -> None:
    project.do("agents", "add", "bob", "--role", "lead", agent="bob")
    claim(project)
    set_policy(project, leads=("lead",))
    project.do("agents", "add", "bob", "--role", "none", agent="ada")

    assert bob.run("agents", "add", "bob", "--role", "lead").code == 4
    assert bob.run("task", "approve", "t7").code == 4


LINE = {"ts": "2026-01-25T23:45:00.000Z", "type": "message", "reasoning": "r", "content": "hello"}


@pytest.fixture
def gated(project: Project) -> Project:
    """Return a project whose team is led by td, who has set bob to ask first."""
    folder = project.mount("swarm", name="team")
    project.append(folder / "channel.jsonl", json.dumps({**LINE, "from": "bob", "to": ["@td"]}))
    project.sync()
    gate = ("--act", "autonomy", "--meta", "agent=bob", "--meta", "level=gated", "-m", "Ask first.")
    project.do("send", "bob", *gate, agent="td")
    return project


def test_an_agent_does_not_lead_itself_by_a_mount_of_its_own(gated: Project, bob: AgentRun) -> None:
    folder = gated.folder / "own"
    folder.mkdir()

    bob.run("mount", "add", "swarm", str(folder), "--set", "director=bob", "--set", "prefix=")
    gated.append(folder / "channel.jsonl", json.dumps({**LINE, "from": "bob", "to": ["@carol"]}))
    gated.sync()
    free = ("--act", "autonomy", "--meta", "agent=bob", "--meta", "level=autonomous", "-m", "Go on.")
    freed = bob.run("send", "bob", *free)

    assert freed.code == 4, freed
