"""The same examples in every run: a red check is the change's own fault. `make explore` tries new ones."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.memory import in_memory

settings.register_profile("same", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", deadline=None, print_blob=True)
PROFILE = os.environ.get("PALAVER_EXAMPLES", "same")
settings.load_profile(PROFILE)
if PROFILE == "same" and hasattr(providers, "_get_local_constants"):
    # Else examples are made from the constants of every module of ours that happens to be loaded: other ones
    # in each process of a run, and other ones after any change. There is no setting for it.
    providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many workers `-n auto` is: two for each core, because many tests wait for a process."""
    return 2 * len(os.sched_getaffinity(0))


# A worker opens a few files for itself.
MANY_FILES: Final = 200


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Close the files of buses that tests have left behind.

    They are in cycles, and the collector comes more and more rarely as a run goes on.
    """
    if sum(1 for _ in Path("/proc/self/fd").iterdir()) > MANY_FILES:
        gc.collect()


@pytest.fixture(autouse=True, scope="session")
def own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the record of trusted buses and the user's own config out of the real home folder."""
    own = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(own / "state"))
        patched.setenv("XDG_CONFIG_HOME", str(own / "config"))
        # The tests may run inside a run, whose variables would tell them where they are, and who.
        for variable in ("PALAVER_TRUST", "PALAVER_TOKEN", "PALAVER_ROOT", "PALAVER_RUN", "PALAVER_AGENT"):
            patched.delenv(variable, raising=False)
        yield


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """Return a folder whose files cost no disk, where there is one."""
    with in_memory(tmp_path) as folder:
        yield folder
