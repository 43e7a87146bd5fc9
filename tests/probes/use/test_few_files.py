"""With few files to open, a command says so: it is not silent, and answers nothing that is wrong."""

import resource
from collections.abc import Callable
from typing import Final

import pytest

from tests.acceptance.project import Project

COMMANDS: Final = (
    ("inbox", "--as", "bob"),
    ("send", "bob", "-m", "one more", "--as", "ada"),
    ("search", "hello"),
    ("run", "--as", "bob", "--", "/bin/true"),
    ("snapshot",),
    ("sync",),
    ("doctor",),
    ("trust",),
)


def at_most(files: int) -> Callable[[], None]:
    """Return what limits the files that a process may open."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


@pytest.mark.parametrize("files", [6, 8, 11, 16])
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_command_that_can_open_few_files_says_so(
    project: Project, words: tuple[str, ...], files: int
) -> None:
    head = project.do("verify", "--json").fields["head"]

    answer = project.run(*words, program="palaver-py", before=at_most(files))

    assert answer.code == 1, answer
    assert "Too many open files" in answer.err
    assert "ulimit -n" in answer.err
    assert answer.err.rstrip().endswith("[storage]")
    assert answer.out == ""
    assert project.run("verify", "--json").fields["head"] == head


# The shell of the launcher needs files too, and below twelve its own message is all that there is.
@pytest.mark.parametrize("files", [6, 9, 10, 11, 12, 13, 14, 16])
def test_the_launcher_is_not_silent_either(project: Project, files: int) -> None:
    answer = project.run("inbox", "--as", "bob", before=at_most(files))

    assert answer.code in (1, 2), answer
    assert answer.err
    assert answer.out == ""


def test_a_program_is_told_in_json(project: Project) -> None:
    answer = project.run("inbox", "--as", "bob", "--json", program="palaver-py", before=at_most(9))

    error = answer.fields["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["exit"]) == ("storage", 1)


def test_thirty_two_files_are_enough(project: Project) -> None:
    for words in COMMANDS:
        answer = project.run(*words, before=at_most(32))

        assert answer.code == 0, (words, answer)
