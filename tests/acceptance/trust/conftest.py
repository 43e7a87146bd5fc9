"""A project that is ready for each test: made once, copied with the home folder of its user."""

import shutil
from pathlib import Path

import pytest

from tests.acceptance.project_c import Project


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the base folder of a project of ada's on which bob, boss and carol are registered."""
    base = tmp_path_factory.mktemp("template")
    project = Project(base)
    project.prepare("init", "--person", "ada")
    project.prepare("agents", "add", "bob", "boss", "carol", agent="ada")
    return base


@pytest.fixture
def project(template: Path, tmp_path: Path) -> Project:
    """Return a copy of the template that belongs to one test."""
    base = tmp_path / "base"
    shutil.copytree(template, base, symlinks=True)
    return Project(base)
