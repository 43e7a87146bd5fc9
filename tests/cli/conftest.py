"""A bus that is ready: made once by `palaver init`, copied for every test."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palaver.cli.hot import execute, this_process
from tests.cli.daemons import DAEMONS, IS_WARM
from tests.cli.launching import telling_launcher
from tests.cli.spoken import Answer, Shell, copy_bus, polite, surroundings
from tests.sync.living import Place, Up, up

Inside = Callable[..., Answer]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out of `make warm` what does not hold beside a daemon."""
    for item in items if IS_WARM else ():
        for mark in item.iter_markers("alone"):
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))


@pytest.fixture(autouse=True)
def daemons() -> Iterator[None]:
    """End the daemons of a test."""
    yield
    DAEMONS.end()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bus, on which ada, bob and carol are known."""
    folder = tmp_path_factory.mktemp("template")
    shell = Shell(folder=folder, env=surroundings())
    for words in (["init", "--person", "ada"], ["agents", "add", "bob", "carol"]):
        assert shell.run(*words).code == 0
    return folder


@pytest.fixture
def bus(template: Path, tmp_path: Path) -> Shell:
    """Return somebody who stands in a folder with a bus of his own, and is nobody yet."""
    folder = tmp_path / "project"
    copy_bus(template, folder)
    return Shell(folder=folder, env=surroundings())


@pytest.fixture
def ada(bus: Shell) -> Shell:
    """Return ada, at the same bus."""
    return bus.with_env(PALAVER_AGENT="ada")


@pytest.fixture
def bob(bus: Shell) -> Shell:
    """Return bob, at the same bus."""
    return bus.with_env(PALAVER_AGENT="bob")


@pytest.fixture
def nowhere(tmp_path: Path) -> Shell:
    """Return somebody who stands in an empty folder, with no bus above it."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return Shell(folder=folder, env=surroundings())


@pytest.fixture
def inside(
    bus: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Inside]:
    """Return the command as a function, as ada, in this process: for the very many cases of arguments."""
    monkeypatch.chdir(bus.folder)
    for name in ("PALAVER_ROOT", "AGENT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PALAVER_AGENT", "ada")

    def run(*words: str) -> Answer:
        capsys.readouterr()
        code = execute(list(words), this_process())
        said = capsys.readouterr()
        return polite(Answer(code=code, out=said.out, err=said.err))

    yield run
    gc.collect()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a folder with a bus of ada's, on which bob is known."""
    found = Place(tmp_path / "project")
    found.do("agents", "add", "bob")
    return found


@pytest.fixture
def daemon(place: Place) -> Iterator[Up]:
    """Return the daemon of that bus."""
    with up(place.folder) as running:
        yield running


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """Return a launcher that tells when it would start Python."""
    return telling_launcher(tmp_path / "programs")
