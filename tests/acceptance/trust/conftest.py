"""The template that the projects of these tests are copied from."""

from pathlib import Path

import pytest

from tests.acceptance.project import Project


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the base folder of a project of ada's on which bob, boss and carol are registered."""
    base = tmp_path_factory.mktemp("template")
    Project.create(base, "ada").do("agents", "add", "bob", "boss", "carol", agent="ada")
    return base
