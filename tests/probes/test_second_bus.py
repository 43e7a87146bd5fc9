"""A run and a second bus: no detour over it gives a process another identity."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.project import PALAVER, Answer, Project
from tests.acceptance.trust.agent_run import ONE_LINE, AgentRun
from tests.probes.settings import claim

# How a command inside a run names the bus: by the option, by the variable, or by both.
BY_OPTION, BY_VARIABLE = "option", "variable"
WAYS = [BY_OPTION, BY_VARIABLE]
# What gives its caller the powers of the person.
PERSONAL = [
    ("open", "--no-browser", "--json"),
    ("open", "--no-browser", "--json", "--as", "boss"),
    ("up",),
    ("up", "--detach"),
    ("install", "service"),
    ("trust", "--yes"),
    ("trust", "--revoke"),
    ("verify", "--accept"),
]


def named(way: str, folder: Path, *words: str) -> tuple[str, ...]:
    """Return a command for the bus of a folder."""
    if way == BY_OPTION:
        end = words.index("--") if "--" in words else len(words)
        return (PALAVER, *words[:end], "--root", str(folder), *words[end:])
    return ("env", f"PALAVER_ROOT={folder}", PALAVER, *words)


def begin(run: AgentRun, *command: str) -> Answer:
    """Run a command that may go on for ever, and end it when it has printed a line."""
    return run.execute(sys.executable, "-c", ONE_LINE, *command)


@pytest.fixture(params=["of-the-user", "of-the-run"])
def elsewhere(request: pytest.FixtureRequest) -> Path:
    """Return the folder of a second bus: of the user, or created inside the run."""
    if request.param == "of-the-run":
        folder: Path = request.getfixturevalue("fresh")
        return folder
    second: Project = request.getfixturevalue("second")
    return second.folder


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["boss", "ada", "bob"])
def test_no_run_on_a_second_bus_gives_power_on_the_first(
    project: Project, bob: AgentRun, elsewhere: Path, name: str, way: str
) -> None:
    claim(project)
    approve = f'cd "{project.folder}" && "{PALAVER}" task approve t7 --as boss'
    by_option = f'"{PALAVER}" task --root "{project.folder}" approve t7 --as boss'
    by_variable = f'PALAVER_ROOT="{project.folder}" {approve}'

    for act in (approve, by_option, by_variable):
        started = bob.execute(*named(way, elsewhere, "run", "--as", name, "--", "sh", "-c", act))

        assert started.code == 4, started
    assert project.task("t7")["state"] == "claimed"


@pytest.mark.parametrize("way", WAYS)
def test_no_worker_is_started_on_a_second_bus(bob: AgentRun, elsewhere: Path, way: str) -> None:
    spawned = bob.execute(*named(way, elsewhere, "co", "worker", "spawn", "f", "0", "--", "true"))

    assert spawned.code == 4, spawned


@pytest.fixture
def visitor(second: Project, tmp_path: Path) -> Iterator[AgentRun]:
    """Return a program that the user runs as bob on the second bus."""
    folder = tmp_path / "visitor"
    folder.mkdir()
    run = AgentRun(second, "bob", folder)
    run.variable("PALAVER_RUN")
    yield run
    run.stop()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "words",
    [
        ("task", "approve", "t7"),
        ("task", "cancel", "t7", "-m", "no"),
        ("agents", "add", "bob", "--role", "lead"),
        ("agents", "retire", "carol"),
        ("lists", "set", "crew", "bob"),
        ("mount", "add", "swarm", "{team}"),
    ],
    ids=lambda words: "-".join(words[:2]),
)
def test_a_run_of_one_bus_has_no_power_on_another_of_the_user(
    project: Project, visitor: AgentRun, words: tuple[str, ...], way: str
) -> None:
    claim(project)
    config, agents = (project.root / "config.toml").read_text(), project.agents()
    team = project.folder / "team"
    team.mkdir()
    command = [each.format(team=team) for each in words]

    refused = visitor.execute(*named(way, project.folder, *command, "--as", "boss"))

    assert refused.code == 4, refused
    assert project.task("t7")["state"] == "claimed"
    assert ((project.root / "config.toml").read_text(), project.agents()) == (config, agents)


def test_a_run_of_one_bus_has_no_power_on_another_through_its_daemon(
    project: Project, visitor: AgentRun
) -> None:
    claim(project)
    project.do("up", "--detach", "--no-web")
    try:
        refused = [
            visitor.execute(*named(way, project.folder, "task", "approve", "t7", "--as", "boss"))
            for way in WAYS
        ]
    finally:
        project.do("down")

    assert [each.code for each in refused] == [4, 4], refused
    assert project.task("t7")["state"] == "claimed"


def test_a_run_of_one_bus_may_speak_on_another_and_the_log_says_where_it_came_from(
    project: Project, visitor: AgentRun, second: Project
) -> None:
    sent = visitor.execute(*named(BY_OPTION, project.folder, "send", "boss", "-m", "hi", "--as", "bob"))

    assert sent.code == 0, sent
    [event] = project.events("mail.sent")
    [started] = second.events("run.started")
    data, inside = started["data"], event["inside"]
    assert isinstance(data, dict)
    assert isinstance(inside, dict)
    assert event["auth"] == "claimed"
    assert inside["token"] == data["token"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("words", PERSONAL, ids=" ".join)
def test_no_second_bus_gives_a_run_the_powers_of_the_person(
    bob: AgentRun, elsewhere: Path, words: tuple[str, ...], way: str
) -> None:
    tried = begin(bob, *named(way, elsewhere, *words))

    assert "#in=" not in tried.out, tried
    assert tried.code == 4, tried


@pytest.mark.parametrize("variable", ["PALAVER_TOKEN=", "PALAVER_TOKEN=x"])
@pytest.mark.parametrize("words", PERSONAL, ids=" ".join)
def test_no_other_token_gives_a_run_the_powers_of_the_person(
    bob: AgentRun, words: tuple[str, ...], variable: str
) -> None:
    tried = begin(bob, "env", variable, PALAVER, *words)

    assert "#in=" not in tried.out, tried
    assert tried.code == 4, tried


@pytest.mark.parametrize("words", PERSONAL, ids=" ".join)
def test_a_run_of_the_person_does_not_get_the_powers_of_the_person(
    project: Project, words: tuple[str, ...]
) -> None:
    tried = project.run("run", "--as", "ada", "--", sys.executable, "-c", ONE_LINE, PALAVER, *words)

    assert "#in=" not in tried.out, tried
    assert tried.code == 4, tried


# An agent that tests a program that uses Palaver, or Palaver itself, does it on a bus of its own.
@pytest.mark.parametrize("way", WAYS)
def test_a_bus_that_was_created_inside_a_run_can_be_used_there(bob: AgentRun, fresh: Path, way: str) -> None:
    (fresh / "team").mkdir()
    for words in (
        ("agents", "add", "w1", "--role", "worker", "--as", "ada"),
        ("send", "w1", "-m", "hello", "--as", "ada"),
        ("inbox", "--as", "w1"),
        ("read", "--as", "w1"),
        ("task", "open", "One", "--id", "one", "--approval", "--as", "ada"),
        ("task", "claim", "one", "--as", "w1"),
        ("task", "approve", "one", "--as", "ada"),
        ("lists", "set", "crew", "w1", "--as", "ada"),
        ("mount", "add", "swarm", str(fresh / "team"), "--as", "ada"),
        ("sync",),
        ("verify",),
    ):
        done = bob.execute(*named(way, fresh, *words))

        assert done.code == 0, (words, done)
    [sent] = bob.execute(*named(way, fresh, "search", "hello", "--json")).rows
    assert (sent["from"], sent["run"]) == ("ada", "")


def test_a_bus_that_was_created_inside_a_run_is_nobody_elses(
    project: Project, fresh: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    carol = AgentRun(project, "carol", folder)
    try:
        added = carol.execute(*named(BY_OPTION, fresh, "agents", "add", "w1", "--role", "r", "--as", "ada"))
    finally:
        carol.stop()

    assert added.code == 4, added
