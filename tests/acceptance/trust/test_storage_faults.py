"""A full disk, or files that are not what they should be: an error that names it, never a wrong answer."""

import os
import resource
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import PALAVER, Answer, Project

MESSAGES: Final = 3
# Bytes up to which a file may grow: at some of them the view cannot take in the newest messages.
LIMITS: Final = (32_768, 65_536, 131_072)
HANG_SECONDS: Final = 5.0


@pytest.fixture
def mail(project: Project) -> Project:
    """Return a project with mail for bob that no view has seen yet."""
    for number in range(MESSAGES):
        project.do("send", "bob", "-m", f"message {number}", agent="ada")
    return project


def inbox_on_full_disk(project: Project, limit: int) -> Answer:
    """List the mail of bob while no file may grow beyond a limit."""
    return project.run(
        "inbox", agent="bob", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )


def test_an_inbox_that_cannot_be_brought_up_to_date_is_not_answered_as_empty(mail: Project) -> None:
    answers = [inbox_on_full_disk(mail, limit) for limit in LIMITS]

    wrong = [each for each in answers if each.code == 0 and each.out.count("message ") != MESSAGES]
    assert wrong == []


def test_an_inbox_is_complete_once_there_is_room_again(mail: Project) -> None:
    for limit in LIMITS:
        inbox_on_full_disk(mail, limit)

    answer = mail.run("inbox", agent="bob")

    assert answer.code == 0, answer
    assert answer.out.count("message ") == MESSAGES


@pytest.fixture(scope="module")
def hung(template: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int | None, str]]:
    """Return exit code and output of commands on a log with a FIFO in it; None is a command that hangs."""
    project = Project.copy(template, tmp_path_factory.mktemp("fifo"))
    os.mkfifo(project.root / "log" / "000000000999.jsonl")
    started = {
        command: subprocess.Popen(
            [PALAVER, command, "--as", "bob"], cwd=project.folder, env=project.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for command in ("verify", "doctor", "inbox")
    }  # fmt: skip
    deadline = time.monotonic() + HANG_SECONDS
    ended: dict[str, tuple[int | None, str]] = {}
    for command, process in started.items():
        try:
            output, _ = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
            ended[command] = process.returncode, output
        except subprocess.TimeoutExpired:
            process.kill()
            ended[command] = None, process.communicate()[0]
    return ended


@pytest.mark.parametrize("command", ["verify", "doctor"])
def test_a_fifo_in_the_log_is_named(hung: dict[str, tuple[int | None, str]], command: str) -> None:
    code, output = hung[command]

    assert code == 1, output
    assert "000000000999.jsonl" in output


def test_a_fifo_in_the_log_does_not_make_a_reader_hang(hung: dict[str, tuple[int | None, str]]) -> None:
    code, output = hung["inbox"]

    assert code is not None, output


@pytest.fixture
def without_lock(project: Project) -> Project:
    """Return a project in which a folder stands where the lock of the log should be."""
    lock = project.root / "log.lock"
    lock.unlink()
    lock.mkdir()
    return project


def test_a_folder_in_place_of_the_lock_is_named_by_a_writer(without_lock: Project) -> None:
    refused = without_lock.run("send", "bob", "-m", "hello", agent="ada")

    assert refused.code == 1, refused
    assert "log.lock" in refused.err


def test_a_folder_in_place_of_the_lock_is_named_by_doctor(without_lock: Project) -> None:
    examined = without_lock.run("doctor")

    assert examined.code == 1, examined
    assert "log.lock" in examined.out
