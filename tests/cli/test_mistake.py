"""What no command expected is one line, with a code and a way out; a traceback only when asked for."""

import _sqlite3
import subprocess
import sys
from typing import Final

import pytest

from palaver.cli.hot import this_process
from palaver.cli.internal_error import explained
from tests.cli.spoken import Shell
from tests.patience import PATIENCE

# The command, with a mistake in it.
BROKEN: Final = """
import sys
from palaver.cli import hot
def broken(argv, caller): raise KeyError("\\x1b[2J")
hot._run = broken
sys.argv[1:] = {words!r}
hot.main()
"""

FAULTS: Final[list[tuple[Exception, str, int, str]]] = [
    (
        OSError(28, "No space left on device", "/x/y"),
        "storage",
        1,
        "cannot use /x/y: No space left on device",
    ),
    (OSError(28, "No space left on device"), "storage", 1, "cannot continue: No space left on device"),
    (MemoryError(), "storage", 1, "there is no memory left"),
    (RecursionError("x"), "bad-arguments", 2, "it is nested too deeply"),
    (ImportError("no _sqlite3"), "tool-missing", 1, "no _sqlite3"),
    (_sqlite3.OperationalError("database or disk is full"), "storage", 1, "database or disk is full"),
    (KeyError("x"), "bug", 1, "KeyError: 'x'"),
    (AssertionError("a row is missing"), "bug", 1, "AssertionError: a row is missing"),
]


@pytest.mark.parametrize(("fault", "code", "status", "said"), FAULTS, ids=lambda each: type(each).__name__)
def test_a_fault_has_a_code_a_reason_and_a_way_out(
    fault: Exception, code: str, status: int, said: str
) -> None:
    refusal = explained(fault, this_process())

    assert (refusal.code, refusal.exit) == (code, status)
    assert said in str(refusal)
    assert refusal.way_out


def run(shell: Shell, words: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", BROKEN.format(words=words)],
        cwd=shell.folder,
        env=dict(shell.env),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_a_mistake_of_ours_is_one_line(ada: Shell) -> None:
    done = run(ada, ["inbox"])

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("palaver: a bug in palaver (KeyError: ")
    assert done.stderr.endswith("report it with what PALAVER_DEBUG=1 shows [bug]\n")
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_a_mistake_of_ours_is_one_object_for_a_program(ada: Shell) -> None:
    done = run(ada, ["inbox", "--json"])

    assert (done.returncode, done.stderr) == (1, "")
    assert '"code":"bug"' in done.stdout


def test_the_place_of_a_mistake_is_shown_when_asked_for(ada: Shell) -> None:
    done = run(ada.with_env(PALAVER_DEBUG="1"), ["inbox"])

    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "in broken" in done.stderr
