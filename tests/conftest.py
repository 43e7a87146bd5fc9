"""The same examples in every run: a red check is the change's own fault. `make explore` tries new ones."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.memory import in_memory

settings.register_profile("same", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile(os.environ.get("PALAVER_EXAMPLES", "same"))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """Return a folder whose files cost no disk, where there is one."""
    with in_memory(tmp_path) as folder:
        yield folder
