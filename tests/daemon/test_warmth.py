"""palaver status says whether commands are warm, and if not, why."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon.scene import Project


@pytest.fixture
def warm(project: Project) -> Iterator[Project]:
    project.type("up", "-d", "--no-web")
    yield project
    os.kill(project.process, signal.SIGCONT)


def status(project: Project, **more: str) -> dict[str, object]:
    found = project.type("status", "--json", **more).fields["daemon"]
    assert isinstance(found, dict)
    return found


def test_with_a_daemon_commands_are_warm(warm: Project) -> None:
    found = status(warm)
    said = warm.type("status").lines[0]

    assert (found["process"], found["warm"], found["why"]) == (warm.process, True, "")
    assert said == f"Daemon: process {warm.process} since {found['since']}; commands are warm"


def test_without_one_they_are_cold_and_status_says_what_to_do(project: Project) -> None:
    assert status(project)["warm"] is False
    assert project.type("status").lines[0] == (
        "Daemon: none; commands are cold (palaver up -d makes them fast)"
    )


def test_it_says_when_the_daemon_ends_by_itself(project: Project) -> None:
    project.type("up", "-d", "--no-web", "--idle", "3600")

    assert status(project)["temporary"] is True
    assert ", ends when it is not used; commands are warm" in project.type("status").lines[0]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"LC_ALL": "de_DE.ISO-8859-1"}, "the locale de_DE.ISO-8859-1 may not be UTF-8"),
        ({"PYTHONIOENCODING": "utf-8"}, "PYTHONIOENCODING is set"),
        ({"HOME": "/"}, "the daemon was started with another HOME"),
    ],
)
def test_with_unusual_surroundings_it_says_what_is_unusual(
    warm: Project, more: dict[str, str], why: str
) -> None:
    found = status(warm, **more)

    assert (found["warm"], found["why"]) == (False, why)
    assert warm.type("status", **more).lines[0].endswith(f"commands are cold: {why}")


def test_a_daemon_with_another_state_folder_is_not_ours(warm: Project, tmp_path: Path) -> None:
    found = status(warm, XDG_STATE_HOME=str(tmp_path), PALAVER_TRUST=str(warm.folder))

    assert found["why"] == "the daemon left no file in your state folder (XDG_STATE_HOME)"


def test_a_daemon_that_is_stopped_does_not_answer(warm: Project) -> None:
    os.kill(warm.process, signal.SIGSTOP)

    assert status(warm)["why"] == "the daemon does not answer"


def test_doctor_says_the_same(warm: Project) -> None:
    [ok] = [line for line in warm.type("doctor").lines if " daemon " in line]
    [note] = [line for line in warm.type("doctor", HOME="/").lines if " daemon " in line]

    assert ok.startswith("ok ")
    assert ok.endswith("; commands are warm")
    assert note.startswith("note ")
    assert "another HOME" in note
