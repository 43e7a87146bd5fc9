"""Signals at every moment, memory and files at every limit: what was printed stands, nothing else broke."""

import random
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.spoken import PALAVER, Shell, copy_bus, surroundings

pytestmark = pytest.mark.torture

SEED: Final = 20260102
SIGNALS: Final = 400


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bus on which ada and bob are known."""
    shell = Shell(folder=tmp_path_factory.mktemp("template"), env=surroundings())
    assert shell.run("init", "--person", "ada").code == 0
    assert shell.run("agents", "add", "bob").code == 0
    return shell.folder


@pytest.fixture
def ada(template: Path, tmp_path: Path) -> Shell:
    """Return ada, on such a bus of her own."""
    copy_bus(template, tmp_path / "project")
    return Shell(folder=tmp_path / "project", env=surroundings(PALAVER_AGENT="ada"))


def limited(limit: int, amount: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(limit, (amount, amount))


def attempt(ada: Shell, before: Callable[[], None], *words: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command that may not even start; but if it starts, it does not break."""
    done = subprocess.run(
        [PALAVER, *words],
        cwd=ada.folder,
        env=dict(ada.env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
        preexec_fn=before,
    )
    # A start of Python that fails shows its own traceback, which has none of our files in it.
    assert b"palaver/cli" not in done.stderr, done
    assert b"[bug]" not in done.stderr, done
    return done


def stored(ada: Shell) -> set[str]:
    types = ada.run("events", "--type", "mail.sent", "--limit", "10000", "--json").rows
    return {str(data["message_id"]) for event in types if isinstance(data := event["data"], dict)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_at_any_moment_leaves_what_was_printed(ada: Shell, number: signal.Signals) -> None:
    dice = random.Random(SEED + number)
    printed: set[str] = set()
    cut = 0

    for turn in range(SIGNALS):
        process = ada.start("send", "bob", "-m", f"turn {turn}")
        time.sleep(dice.uniform(0.0, 0.04))
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        cut += process.returncode != 0
        assert process.returncode in (0, 1, 130, -number), (SEED, turn, process.returncode, err)
        if out:
            printed.add(out.decode().split()[1])

    assert cut > SIGNALS / 20, "hardly any signal came in time"
    assert printed <= stored(ada), f"seed {SEED}"
    assert ada.run("verify").code == 0


@pytest.mark.parametrize("files", range(3, 20))
def test_every_limit_of_files(ada: Shell, files: int) -> None:
    printed = set()
    for words in (
        ["send", "bob", "-m", "x"],
        ["send", "bob", "-m", "x", "--key", "k"],
        ["inbox"],
        ["search", "x"],
    ):
        done = attempt(ada, limited(resource.RLIMIT_NOFILE, files), *words)
        if done.stdout.startswith(b"Sent: "):
            printed.add(done.stdout.decode().split()[1])

    assert printed <= stored(ada)
    assert ada.run("verify").code == 0


@pytest.mark.parametrize("megabytes", range(12, 120, 4))
def test_every_limit_of_memory(ada: Shell, megabytes: int) -> None:
    printed = set()
    for words in (
        ["send", "bob", "-m", "x" * 100_000],
        ["inbox", "--as", "bob", "--json"],
        ["search", "x*"],
        ["rebuild"],
    ):
        done = attempt(ada, limited(resource.RLIMIT_AS, megabytes << 20), *words)
        if done.stdout.startswith(b"Sent: "):
            printed.add(done.stdout.decode().split()[1])

    assert printed <= stored(ada)
    assert ada.run("verify").code == 0


@pytest.mark.parametrize("room", range(0, 700, 9))
def test_every_limit_of_the_size_of_a_file(ada: Shell, room: int) -> None:
    log = next((ada.folder / ".palaver/log").iterdir())
    size = log.stat().st_size

    done = attempt(ada, limited(resource.RLIMIT_FSIZE, size + room), "send", "bob", "-m", "x" * 300)

    assert done.returncode in (0, 1)
    assert (log.stat().st_size == size) == (done.returncode == 1)
    assert ada.run("send", "bob", "-m", "afterwards").code == 0
    assert ada.run("verify").code == 0


def test_two_gibibytes_of_standard_input_are_refused_in_bounded_memory(ada: Shell) -> None:
    script = f'head -c 2G /dev/zero | ( ulimit -v 100000; exec "{PALAVER}" send bob -m - )'

    done = subprocess.run(
        ["bash", "-c", script],
        cwd=ada.folder,
        env=dict(ada.env),
        capture_output=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 2
    assert b"[too-large]" in done.stderr
