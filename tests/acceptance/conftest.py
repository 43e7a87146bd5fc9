"""A project for each test: a copy of a template, which is made once because every test needs one."""

from pathlib import Path

import pytest

from tests.acceptance.project import Project


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the base folder of a project of boss's that nobody has used."""
    base = tmp_path_factory.mktemp("template")
    Project.create(base, "boss")
    return base


@pytest.fixture
def project(template: Path, memory: Path) -> Project:
    """Return a copy of the template that belongs to one test."""
    return Project.copy(template, memory)
