"""What a new user does wrong, or does with the output of a command, has a clear answer."""

import subprocess
from typing import Final

import pytest

from tests.acceptance.project import PALAVER, Project
from tests.patience import PATIENCE

COMMANDS: Final = ("--help", "--version", "inbox --help", "inbox --as bob", "agents", "verify", "doctor")


def in_shell(project: Project, script: str) -> tuple[int, str]:
    """Run a script in which `$P` is palaver; return its exit code and its standard error."""
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=project.folder,
        env={**project.env, "P": PALAVER},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_cannot_be_written_is_told_as_such(project: Project, command: str) -> None:
    code, told = in_shell(project, f'"$P" {command} >/dev/full')

    assert code == 1, told
    assert "cannot write the answer" in told
    assert "[storage]" in told


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_goes_away_is_no_error(project: Project, command: str) -> None:
    code, told = in_shell(project, f'"$P" {command} | head -c 0; exit ${{PIPESTATUS[0]}}')

    assert (code, told) == (0, "")


def test_a_deleted_folder_is_told_with_the_way_out(project: Project) -> None:
    code, told = in_shell(project, 'mkdir gone && cd gone && rmdir ../gone && "$P" inbox --as bob')

    assert code == 1, told
    assert "this folder was deleted" in told
    assert "--root" in told


@pytest.mark.parametrize(
    ("words", "said"),
    [(("bob", "hello there"), "write it after -m"), (("bob,carol", "-m", "x"), "put spaces between names")],
)
def test_a_word_that_is_no_name_leads_to_what_was_meant(
    project: Project, words: tuple[str, ...], said: str
) -> None:
    refused = project.run("send", *words, agent="ada")

    assert refused.code == 2, refused
    assert said in refused.err
    assert "[bad-name]" in refused.err
