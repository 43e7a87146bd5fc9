"""A process inside a run acts as the agent of the run, and as nobody else."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.project import PALAVER, Project
from tests.acceptance.trust.agent_run import AgentRun


@pytest.fixture(scope="module")
def base(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("acting")
    Project.copy(template, base)
    return base


@pytest.fixture(scope="module")
def bob(base: Path) -> Iterator[AgentRun]:
    """Return a program that runs as bob. The tests share it."""
    run = AgentRun(Project(base), "bob", base)
    # When it answers, its start is in the log.
    run.variable("PALAVER_RUN")
    yield run
    run.stop()


@pytest.fixture
def shared(base: Path) -> Project:
    return Project(base)


def claim(project: Project, task: str) -> None:
    """Let bob claim a task whose owner, boss, must approve the claim."""
    project.do("task", "open", task, "--id", task, "--approval", agent="boss")
    project.do("task", "claim", task, agent="bob")


def test_an_agent_in_its_run_speaks_with_its_token(shared: Project, bob: AgentRun) -> None:
    sent = bob.run("send", "carol", "-m", "hello")

    assert sent.code == 0, sent
    [event] = [event for event in shared.events("mail.sent") if "hello" in str(event["data"])]
    assert (event["actor"], event["auth"]) == ("bob", "token")


def test_an_agent_does_not_approve_its_own_claim(shared: Project, bob: AgentRun) -> None:
    claim(shared, "own")

    refused = bob.run("task", "approve", "own")

    assert refused.code == 4, refused
    assert shared.task("own")["state"] == "claimed"


def test_an_agent_does_not_approve_its_claim_through_a_run_of_its_approver(
    shared: Project, bob: AgentRun
) -> None:
    claim(shared, "t7")

    bob.run("run", "--as", "boss", "--", PALAVER, "task", "approve", "t7")

    assert shared.task("t7")["state"] == "claimed"


@pytest.mark.parametrize("other", ["boss", "ada"])
def test_an_agent_in_a_run_does_not_start_a_run_of_another(
    shared: Project, bob: AgentRun, other: str
) -> None:
    started = len(shared.events("run.started"))

    refused = bob.run("run", "--as", other, "--", "true")

    assert refused.code == 4, refused
    assert len(shared.events("run.started")) == started


# A dashboard lets its browser act as the person, or as the name that was given, with proof.
@pytest.mark.parametrize("words", [("--as", "boss"), ("--as", "ada"), ()], ids=["boss", "person", "unnamed"])
def test_an_agent_in_a_run_does_not_open_the_dashboard(bob: AgentRun, words: tuple[str, ...]) -> None:
    opened = bob.start("open", "--no-browser", "--json", *words)

    assert "#in=" not in opened.out, opened
    assert opened.code == 4, opened


# Choice: refused as `palaver open` is; `palaver up --no-web` stays possible.
def test_an_agent_in_a_run_does_not_serve_the_dashboard(bob: AgentRun) -> None:
    started = bob.start("up")

    assert started.code == 4, started


@pytest.mark.parametrize(
    ("event_type", "words"),
    [
        ("mail.sent", ("send", "carol", "-m", "the-mark")),
        ("task.opened", ("task", "open", "One", "--id", "the-mark")),
        ("agent.registered", ("agents", "add", "the-mark")),
    ],
)
def test_an_event_records_the_run_the_agent_and_the_claimed_name(
    shared: Project, bob: AgentRun, event_type: str, words: tuple[str, ...]
) -> None:
    run = bob.variable("PALAVER_RUN")
    bob.run(*words, "--as", "boss")

    [event] = [event for event in shared.events(event_type) if "the-mark" in str(event["data"])]
    recorded = json.dumps(event)
    assert event["auth"] != "token"
    assert [name for name in ("boss", "bob", run) if f'"{name}"' not in recorded] == []


@pytest.mark.parametrize(
    ("event_type", "words"),
    [
        ("mail.sent", ("send", "carol", "-m", "my-own-mark")),
        ("task.opened", ("task", "open", "One", "--id", "my-own-mark")),
        ("agent.registered", ("agents", "add", "my-own-mark")),
    ],
)
def test_an_event_of_an_agent_in_its_run_records_the_run(
    shared: Project, bob: AgentRun, event_type: str, words: tuple[str, ...]
) -> None:
    bob.run(*words)

    [event] = [event for event in shared.events(event_type) if "my-own-mark" in str(event["data"])]
    assert f'"{bob.variable("PALAVER_RUN")}"' in json.dumps(event)
