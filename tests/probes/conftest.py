"""Two projects of one user, and a program inside a run of bob on the first of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.agent_run import AgentRun


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the base folder of a project of ada's on which bob, boss and carol are registered."""
    base = tmp_path_factory.mktemp("template")
    Project.create(base, "ada").do("agents", "add", "bob", "boss", "carol", agent="ada")
    return base


@pytest.fixture
def project(template: Path, memory: Path) -> Project:
    """Return a project that is trusted by a record: inside a run the variable is another one."""
    project = Project.copy(template, memory / "first")
    del project.env["PALAVER_TRUST"]
    project.do("trust", "--yes")
    return project


@pytest.fixture
def second(project: Project, memory: Path) -> Project:
    """Return another project of the same user, outside the first one, with the same agents."""
    second = Project(memory / "second")
    second.env = project.env
    second.do("init", "--person", "ada", "--no-mounts")
    second.do("agents", "add", "bob", "boss", "carol", agent="ada")
    return second


@pytest.fixture
def bob(project: Project, tmp_path: Path) -> Iterator[AgentRun]:
    """Return a program that runs as bob in the first project."""
    run = AgentRun(project, "bob", tmp_path)
    # When it answers, its start is in the log.
    run.variable("PALAVER_RUN")
    yield run
    run.stop()


@pytest.fixture
def fresh(bob: AgentRun, memory: Path) -> Path:
    """Return the folder of a bus that bob has created inside its run."""
    folder = memory / "fresh"
    folder.mkdir()
    made = bob.run("init", "--root", str(folder), "--person", "ada", "--no-mounts")
    assert made.code == 0, made
    return folder
