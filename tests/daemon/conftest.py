"""A project of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import scene
from tests.daemon.scene import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with scene.project(tmp_path / "project") as made:
        yield made
