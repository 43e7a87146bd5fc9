"""The command as pip installs it: in a new environment, by the pip that comes with this Python."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.spoken import PALAVER
from tests.house.repository import ROOT
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow


def run(*command: str | Path, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of programs of an environment into which the wheel was installed."""
    folder = tmp_path_factory.mktemp("installed")
    assert find_spec("hatchling"), "the environment is older than pyproject.toml; run make"
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=ROOT)
    [wheel] = folder.glob("palaver-*.whl")
    run(sys.executable, "-m", "venv", "new one", folder=folder)
    programs = folder / "new one" / "bin"
    run(programs / "python", "-m", "pip", "install", "--no-index", "--no-deps", "-q", wheel, folder=folder)
    return programs


@pytest.fixture
def project(tmp_path: Path) -> Path:
    run(PALAVER, "init", "--person", "ada", folder=tmp_path)
    run(PALAVER, "agents", "add", "bob", folder=tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "first"), [("palaver", "sh"), ("co", "sh"), ("wo", "sh"), ("palaver-py", "")]
)
def test_the_commands_are_installed_as_programs(programs: Path, name: str, first: str) -> None:
    line = (programs / name).read_text(encoding="utf-8").splitlines()[0]

    # Where a path has a space, pip leaves a first line that does not work; the launcher does not use it.
    assert line == "#!/bin/sh" if first else line.startswith("#!") and "python" in line
    assert os.access(programs / name, os.X_OK)


def test_the_installed_command_sends_a_message(programs: Path, project: Path) -> None:
    sent = run(programs / "palaver", "send", "bob", "-m", "hello", "--as", "ada", folder=project)

    assert sent.stdout.startswith("Sent: msg-")


@pytest.mark.parametrize("path", [os.environ["PATH"], "/nowhere"])
def test_a_link_to_the_command_is_the_command(
    programs: Path, project: Path, tmp_path: Path, path: str
) -> None:
    # As pipx and uv install it.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "palaver").symlink_to(programs / "palaver")

    link = str(tmp_path / "bin" / "palaver")
    sent = run(link, "send", "bob", "-m", "hello", "--as", "ada", folder=project, PATH=path)

    assert sent.stdout.startswith("Sent: msg-")


def test_a_command_of_the_user_is_the_command(programs: Path, project: Path, tmp_path: Path) -> None:
    [wheel] = programs.parent.parent.glob("palaver-*.whl")
    # Into a folder of its own: what is installed already stays.
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--ignore-installed"]
    run(*pip, "--prefix", tmp_path / "u", wheel, folder=tmp_path)
    [library] = (tmp_path / "u").glob("lib/*/site-packages")

    command = tmp_path / "u/bin/palaver"
    sent = run(command, "send", "bob", "-m", "hello", "--as", "ada", folder=project, PYTHONPATH=str(library))

    assert sent.stdout.startswith("Sent: msg-")
    assert not (tmp_path / "u/pyvenv.cfg").exists()


def test_the_module_is_the_command(programs: Path, project: Path) -> None:
    sent = run(
        programs / "python", "-m", "palaver", "send", "bob", "-m", "hello", "--as", "ada", folder=project
    )

    assert sent.stdout.startswith("Sent: msg-")


def test_whoever_installed_it_a_send_imports_no_regular_expressions(programs: Path, project: Path) -> None:
    # The wrapper that older pips generate for an entry point imports `re`: half a start of Python.
    sent = run(
        programs / "palaver", "send", "bob", "-m", "hello", "--as", "ada",
        folder=project, PYTHONPROFILEIMPORTTIME="1",
    )  # fmt: skip

    imported = set(re.findall(r"(?m)^import time: +\d+ \| +\d+ \| +([\w.]+)$", sent.stderr))
    assert "palaver.log.files" in imported or "palaver.log" in imported, sent.stderr
    assert imported.isdisjoint({"re", "enum", "functools"})
