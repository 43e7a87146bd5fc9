"""Tests of a bus run on each backend of the log: on files, and in memory.

A test that is about files, other processes or crashes runs on files alone, and its marker says why:
`@pytest.mark.on_disk("another process writes")`, on a test or as `pytestmark` of a module.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from palaver.log import factory

BACKENDS: Final = ("files", "memory")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on each backend, unless it is marked to need the disk."""
    if "log_backend" in metafunc.fixturenames:
        on_disk = metafunc.definition.get_closest_marker("on_disk")
        backends = BACKENDS[:1] if on_disk else BACKENDS
        metafunc.parametrize("log_backend", backends, indirect=True, ids=lambda name: f"{name}")


@pytest.fixture(autouse=True)
def log_backend(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Keep the logs of this test on the disk or in memory."""
    if getattr(request, "param", "files") == "files":
        yield "files"
        return
    folders = [str(tmp_path_factory.getbasetemp()), "/dev/shm/"]
    for folder in folders:
        factory.keep_in_memory(folder)
    yield "memory"
    for folder in folders:
        factory.forget(folder)


def is_on_disk(folder: Path) -> bool:
    """Return True if a bus in this folder keeps its log in files."""
    return not any(str(folder).startswith(each) for each in factory._in_memory)
