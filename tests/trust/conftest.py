"""A user with a home of their own, and a project that came from somebody else."""

from pathlib import Path

import pytest

from tests.trust.scene import Project, foreign_project, user_at


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the home folder of the user."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    return folder


@pytest.fixture
def own(tmp_path: Path, home: Path) -> Project:
    """Return a project whose bus the user has created."""
    folder = tmp_path / "own"
    folder.mkdir()
    project = user_at(folder, home)
    project.must("init", "--person", "ada")
    project.must("agents", "add", "bob", "--as", "ada")
    return project


@pytest.fixture
def foreign(tmp_path: Path, home: Path) -> Project:
    """Return a project that the user has cloned, with a bus in it that somebody else has created."""
    return foreign_project(tmp_path, home)
