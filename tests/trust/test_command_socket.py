"""The port of the daemon is open to every process of the machine; only launchers of its user get through."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from palaver.bus.root import Root
from palaver.daemon.background import is_answering
from palaver.daemon.command_socket import (
    CallerConnection,
    CommandRequest,
    CommandResult,
    CommandSocket,
    daemon_file,
)
from tests.cli.conversation import GREETING, Conversation, run
from tests.cli.launching import is_cold, launch, telling_launcher
from tests.patience import PATIENCE
from tests.sync.living import Place, Up, eventually, up

NOBODY: Final = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

# Says all of it at once, and prints what comes back.
SPEAK: Final = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60) as connection:
    try:
        connection.sendall(sys.stdin.buffer.read())
        while piece := connection.recv(1000):
            sys.stdout.buffer.write(piece)
    except (ConnectionResetError, BrokenPipeError):
        pass
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    found = Place(tmp_path_factory.mktemp("served") / "project")
    found.do("agents", "add", "bob")
    return found


@pytest.fixture(scope="module")
def daemon(place: Place) -> Iterator[Up]:
    with up(place.folder) as running:
        yield running


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    return telling_launcher(tmp_path / "programs")


def is_served(place: Place) -> bool:
    return run(place.folder, "inbox") == (0, b"No messages\n")


# --- who is heard ---


@needs_root
@pytest.mark.usefixtures("daemon")
def test_another_user_is_not_answered_even_if_it_knows_the_secret(place: Place) -> None:
    with Conversation(place.folder) as own:
        command = GREETING + own.command("send", "bob", "-m", "from nobody")
        port = own.port
    before = place.bodies()

    def speak(*under: str) -> bytes:
        words = [*under, sys.executable, "-c", SPEAK, str(port)]
        return subprocess.run(words, input=command, capture_output=True, timeout=PATIENCE, check=True).stdout

    assert speak("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups") == b""
    assert place.bodies() == before
    assert b"done 0" in speak()


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.org\r\n\r\n",
        b"POST /palaver%201 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\npalaver 1\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
        b"palaver 2\n",
        b"palaver 1\r\n",
        b"\n",
        b"\0" * 100_000 + b"\n",
        b"x" * 10_000_000,
    ],
    ids=["get", "post", "tls", "version", "carriage return", "nothing", "zeros", "no line"],
)
def test_what_is_not_the_greeting_gets_no_answer(place: Place, said: bytes) -> None:
    with Conversation(place.folder) as stranger:
        try:
            stranger.send(said)
            stranger.socket.shutdown(socket.SHUT_WR)
            answer = stranger.rest()
        except (BrokenPipeError, ConnectionResetError):
            answer = b""

    assert answer == b""
    assert is_served(place)


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    "said",
    [
        b"0" * 32 + b"\0",
        b"\0",
        b"%s\0" + b"garbage\0",
        b"%s\0" + b"-1\0",
        b"%s\0" + b"0\0",
        b"%s\0" + b"3\0a\0b\0c\0",
        b"%s\0" + b"5\0/\0---\0x\0y\0z\0",
        b"%s\0" + b"5\0/\0\0" + b"1\0" + b"99999\0z\0",
        b"%s\0" + b"99999999999999999999\0" + b"x" * 10_000_000,
    ],
)
def test_what_is_not_a_command_is_not_run(place: Place, daemon: Up, said: bytes) -> None:
    with Conversation(place.folder) as stranger:
        assert stranger.greet().startswith(stranger.theirs.encode())
        try:
            stranger.send(said.replace(b"%s", stranger.ours.encode()))
            stranger.socket.shutdown(socket.SHUT_WR)
            answer = stranger.rest()
        except (BrokenPipeError, ConnectionResetError):
            answer = b""

    assert answer == b""
    assert is_served(place)
    assert "Traceback" not in daemon.err


@pytest.mark.usefixtures("daemon")
def test_the_secret_is_for_this_user_alone(place: Place) -> None:
    file = Path(daemon_file(str(place.folder / ".palaver")))

    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_uid == os.geteuid()


@needs_root
@pytest.mark.usefixtures("daemon")
def test_a_file_of_another_user_is_not_trusted(place: Place, launcher: Path) -> None:
    file = daemon_file(str(place.folder / ".palaver"))
    os.chown(file, NOBODY, NOBODY)
    try:
        assert is_cold(launch(launcher, place.folder, "inbox"))
    finally:
        os.chown(file, 0, 0)
    assert not is_cold(launch(launcher, place.folder, "inbox"))


# --- how many are heard ---


def test_connections_that_say_nothing_do_not_stop_the_daemon(
    place: Place, daemon: Up, launcher: Path
) -> None:
    with Conversation(place.folder) as own:
        port = own.port
    silent = [socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(400)]
    for each in silent[::2]:
        each.sendall(b"pal")

    threads = len(list(Path(f"/proc/{daemon.process.pid}/task").iterdir()))
    done = launch(launcher, place.folder, "inbox")
    for each in silent:
        each.close()

    assert threads < 200
    assert done.stdout == b"No messages\n" or is_cold(done)
    eventually(lambda: launch(launcher, place.folder, "inbox").stdout == b"No messages\n")


def test_a_daemon_that_runs_out_of_descriptors_recovers(tmp_path: Path, launcher: Path) -> None:
    place = Place(tmp_path / "project")
    with up(place.folder, under=("bash", "-c", 'ulimit -n 48; exec "$@"', "up")):
        with Conversation(place.folder) as first:
            silent = [socket.create_connection(("127.0.0.1", first.port), PATIENCE) for _ in range(100)]
        for each in silent:
            each.send(b"pal")
        done = launch(launcher, place.folder, "inbox")
        for each in silent:
            each.close()

        assert is_cold(done)
        eventually(lambda: launch(launcher, place.folder, "inbox").stdout == b"No messages\n")


def test_a_daemon_that_gets_no_more_threads_recovers(tmp_path: Path) -> None:
    root = Root(str(Place(tmp_path / "project").folder / ".palaver"))

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with CommandSocket(root.path, _unused, last_seq=lambda: 0, end_thread=lambda: None, note=print):
        with pytest.MonkeyPatch.context() as system:
            system.setattr(threading.Thread, "start", refuse)
            assert not is_answering(root)

        assert is_answering(root)


def _unused(_: CommandRequest, __: CallerConnection) -> CommandResult:
    raise AssertionError("nobody hands a command over")
