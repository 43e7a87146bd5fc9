"""Projects of a user called ada, and projects that she got from somebody else."""

import shutil
from pathlib import Path

import pytest

from tests.acceptance.project import Project


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the base folder of a project of ada's on which bob and carol are registered."""
    base = tmp_path_factory.mktemp("template")
    project = Project.create(base, "ada")
    project.do("agents", "add", "bob", "carol", agent="ada")
    project.do("send", "bob", "-m", "hello", agent="ada")
    project.do("inbox", agent="bob")
    project.do("snapshot")
    return base


@pytest.fixture
def foreign(template: Path, memory: Path) -> Project:
    """Return a project that came with a bus which its user has neither created nor accepted."""
    shutil.copytree(template / "project", memory / "project", symlinks=True)
    project = Project(memory)
    del project.env["PALAVER_TRUST"]
    return project


@pytest.fixture
def project(template: Path, memory: Path) -> Project:
    """Return a copy of the template that belongs to one test."""
    return Project.copy(template, memory)
