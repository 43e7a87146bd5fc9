"""A command that waits or follows in the daemon shows what happens at once, and ends with its caller."""

import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from palaver.daemon.command_folder import has_reader
from tests.cli.launching import launch
from tests.cli.spoken import surroundings
from tests.patience import PATIENCE
from tests.sync.living import Place, Up, eventually

#: Threads that the daemon keeps for the next commands.
IDLE: Final = 8
STREAMS: Final = {
    "tail": ["tail", "-f"],
    "board": ["board", "--watch"],
    "wait": ["wait", "--as", "bob", "--timeout", "1000"],
    "events": ["wo", "events", "tail"],
}


def start(launcher: Path, place: Place, *words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [launcher, *words],
        cwd=place.folder,
        env=surroundings(PALAVER_AGENT="ada"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def opened(daemon: Up) -> list[str]:
    """Return what the daemon has open."""
    found = []
    for each in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
        # It may be closed by now.
        with suppress(FileNotFoundError):
            found.append(str(each.readlink()))
    return found


def connections(daemon: Up) -> int:
    """Return how many callers it has: each reads a pipe."""
    return sum(each.endswith(".busy") and has_reader(each) for each in opened(daemon))


def views(daemon: Up) -> int:
    return sum(each.endswith(".db") for each in opened(daemon))


def threads(daemon: Up) -> int:
    return sum(1 for _ in Path(f"/proc/{daemon.process.pid}/task").iterdir())


@pytest.mark.usefixtures("daemon")
def test_an_event_is_shown_when_it_happens(place: Place, launcher: Path) -> None:
    following = start(launcher, place, "tail", "-f", "-n", "1")
    assert following.stdout is not None
    following.stdout.readline()

    for body in ("first", "second"):
        assert launch(launcher, place.folder, "send", "bob", "-m", body).returncode == 0
        assert body.encode() in following.stdout.readline()

    following.kill()
    following.communicate(timeout=PATIENCE)


@pytest.mark.usefixtures("daemon")
def test_who_waits_for_mail_gets_it(place: Place, launcher: Path) -> None:
    waiting = start(launcher, place, "wait", "--as", "bob")

    sent = launch(launcher, place.folder, "send", "bob", "-m", "hello")

    out, err = waiting.communicate(timeout=PATIENCE)
    assert sent.stdout.split()[1] in out
    assert (waiting.returncode, err) == (0, b"")


@pytest.mark.usefixtures("daemon")
def test_a_pipe_that_ends_early_ends_the_command(place: Place, launcher: Path) -> None:
    script = f"'{launcher}' tail -f -n 1 | head -n 2; echo ${{PIPESTATUS[*]}}"
    process = subprocess.Popen(
        ["bash", "-c", script], cwd=place.folder, env=surroundings(), stdout=subprocess.PIPE
    )
    while process.poll() is None:
        launch(launcher, place.folder, "send", "bob", "-m", "again")

    out, _ = process.communicate(timeout=PATIENCE)
    assert out.endswith(b"\n0 0\n")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("stream", STREAMS)
def test_nothing_is_left_in_the_daemon_when_the_caller_goes_away(
    place: Place, launcher: Path, daemon: Up, stream: str, number: signal.Signals
) -> None:
    others = sum("/view/" not in each for each in opened(daemon))
    for _ in range(2):
        running = [start(launcher, place, *STREAMS[stream]) for _ in range(2 * IDLE)]
        eventually(lambda: connections(daemon) == 2 * IDLE)

        for each in running:
            each.send_signal(number)
            each.communicate(timeout=PATIENCE)

        eventually(lambda: connections(daemon) == 0, opened(daemon))
        eventually(lambda: threads(daemon) < 2 * IDLE)
        # A few files are opened by the first command, and some for a moment; but not one for each caller.
        eventually(lambda: sum("/view/" not in each for each in opened(daemon)) < others + IDLE)

    # SQLite keeps the file of a view that was closed for the next one that is opened.
    assert views(daemon) <= 3 * IDLE


def test_who_has_gone_is_not_notified(place: Place, launcher: Path, daemon: Up) -> None:
    waiting = start(launcher, place, "wait", "--as", "bob")
    eventually(lambda: connections(daemon) == 1)
    waiting.kill()
    waiting.communicate(timeout=PATIENCE)

    launch(launcher, place.folder, "send", "bob", "-m", "hello")

    eventually(lambda: connections(daemon) == 0)
    assert place.events("mail.delivered") == []
