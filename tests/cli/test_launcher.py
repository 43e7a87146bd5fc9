"""The launcher hands a command to the daemon; whatever is unusual, Python does."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from palaver.daemon.command_socket import daemon_file
from tests.cli.spoken import PALAVER, surroundings
from tests.patience import PATIENCE
from tests.sync.living import Place, Up, up

COLD = "started Python"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path / "project")
    found.do("agents", "add", "bob")
    return found


@pytest.fixture
def daemon(place: Place) -> Iterator[Up]:
    with up(place.folder) as running:
        yield running


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """Return a copy of the launcher that tells when it would start Python."""
    programs = tmp_path / "programs"
    programs.mkdir()
    shutil.copy(PALAVER, programs / "palaver")
    python = programs / "palaver-py"
    python.write_text(f'#!/bin/sh\necho "{COLD} $PALAVER_REQUEST"\ncat\nexit 99\n')
    python.chmod(0o755)
    return programs / "palaver"


def launch(
    launcher: Path, folder: Path, *words: str | bytes, stdin: bytes = b"", **more: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [launcher, *words],
        cwd=folder,
        env=surroundings(PALAVER_AGENT="ada", **more),
        input=stdin,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


def is_cold(done: "subprocess.CompletedProcess[bytes]") -> bool:
    return done.stdout.startswith(COLD.encode()) and done.returncode == 99


# --- what the daemon does ---


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    "body",
    [
        "plain",
        "two  spaces",
        "two\nlines\n\n",
        "  ",
        "$HOME `x` \"q\" 'q' \\ * ? %s %d",
        "grüße 继续",
        "x" * 100_000,
    ],
)
def test_a_message_arrives_as_it_was_written(place: Place, launcher: Path, body: str) -> None:
    done = launch(launcher, place.folder, "send", "bob", "-m", body)

    if body.strip():
        assert done.stdout.startswith(b"Sent: msg-"), done
        assert place.bodies() == [body]
    else:
        assert done.returncode == 2


@pytest.mark.usefixtures("daemon")
def test_standard_input_is_asked_for(place: Place, launcher: Path) -> None:
    body = "a diff\n" * 1_000
    done = launch(launcher, place.folder, "send", "bob", "-m", "-", stdin=body.encode())

    assert done.stdout.startswith(b"Sent: msg-"), done


@pytest.mark.usefixtures("daemon")
def test_a_refusal_has_its_text_and_its_exit_code(place: Place, launcher: Path) -> None:
    done = launch(launcher, place.folder, "send", "bob")

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"palaver: ")


@pytest.mark.usefixtures("daemon")
def test_the_same_bus_is_found_from_below_from_a_link_and_from_a_worktree(
    place: Place, launcher: Path, tmp_path: Path
) -> None:
    below = place.folder / "a/b"
    below.mkdir(parents=True)
    (tmp_path / "link").symlink_to(below)
    git = ["git", "-C", str(place.folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)

    for folder in (below, tmp_path / "link", tmp_path / "tree"):
        assert launch(launcher, folder, "inbox", "--as", "bob").stdout == b"No messages\n", folder


@pytest.mark.usefixtures("daemon")
def test_a_reader_that_goes_away_is_no_error(place: Place, launcher: Path) -> None:
    script = (
        f"'{launcher}' --help >/dev/null; '{launcher}' rules | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(
        ["bash", "-c", script], cwd=place.folder, env=surroundings(), capture_output=True, check=True
    )

    assert done.stdout == b"0\n", done


# --- what Python does ---


def test_without_a_daemon_python_is_started(place: Place, launcher: Path) -> None:
    assert is_cold(launch(launcher, place.folder, "inbox"))


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    "words", [["init"], ["verify"], ["run", "--", "true"], ["doctor"], ["up"], ["nonsense"]]
)
def test_some_commands_always_run_in_the_process_of_the_caller(
    place: Place, launcher: Path, words: list[str]
) -> None:
    assert is_cold(launch(launcher, place.folder, *words))


@pytest.mark.usefixtures("daemon")
def test_another_bus_is_not_ours(place: Place, launcher: Path, tmp_path: Path) -> None:
    other = Place(tmp_path / "other")

    assert is_cold(launch(launcher, place.folder, "inbox", "--root", str(other.folder)))
    assert is_cold(launch(launcher, place.folder, "inbox", PALAVER_ROOT=str(other.folder)))


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    "more",
    [{"LC_ALL": "de_DE.ISO-8859-1"}, {"PYTHONIOENCODING": "latin-1"}, {"PATH": "/nowhere"}, {"HOME": "/"}],
)
def test_surroundings_that_are_unusual_are_left_to_python(
    place: Place, launcher: Path, more: dict[str, str]
) -> None:
    done = launch(launcher, place.folder, "inbox", stdin=b"", **more)

    assert done.stdout.startswith(COLD.encode()), done


@pytest.mark.usefixtures("daemon")
def test_input_that_is_no_text_is_left_to_python_whole(place: Place, launcher: Path) -> None:
    done = launch(launcher, place.folder, "send", "bob", "-m", "-", stdin=b"a\0b\0c")

    assert done.stdout.split(b"\n", 1)[1] == b"a\0b\0c", done


def test_a_daemon_that_does_not_answer_is_left_alone(place: Place, launcher: Path, daemon: Up) -> None:
    os.kill(daemon.process.pid, signal.SIGSTOP)

    assert is_cold(launch(launcher, place.folder, "inbox"))


def test_who_took_the_port_of_a_dead_daemon_learns_nothing(place: Place, launcher: Path, daemon: Up) -> None:
    file = Path(daemon_file(str(place.folder / ".palaver")))
    assert file.stat().st_mode & 0o777 == 0o600
    version, _, theirs, ours = file.read_text().split()
    daemon.kill()
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as squatter:
        file.write_text(f"{version} {squatter.getsockname()[1]} {theirs} {ours}\n")

        def listen() -> None:
            connection, _ = squatter.accept()
            with connection:
                connection.sendall(b"0" * 32 + b" guess\n")
                while piece := connection.recv(1_000):
                    heard.append(piece)

        thread = Thread(target=listen)
        thread.start()
        done = launch(launcher, place.folder, "send", "bob", "-m", "secret words")
        thread.join(PATIENCE)

    assert is_cold(done)
    assert b"".join(heard) == b"palaver 1\n"
