"""A fresh project for each test."""

import shutil
from pathlib import Path

import pytest

from tests.acceptance.project import Project


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bus that nobody has used; it is made once, because every test needs one."""
    folder = tmp_path_factory.mktemp("fresh")
    Project(folder).init()
    return folder


@pytest.fixture
def project(fresh: Path, memory: Path) -> Project:
    """Return a project of its own for one test: a copy of the fresh one."""
    shutil.copytree(fresh, memory, symlinks=True, dirs_exist_ok=True)
    return Project(memory)
