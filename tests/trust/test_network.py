"""Palaver speaks to no other machine: its system calls name no address but loopback."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.patience import PATIENCE
from tests.processes.command import PROGRAM, environment
from tests.sync.living import Place, daemon_answers, eventually

# What has the address of a machine: IPv4 and IPv6. Sockets of the kernel and of files have none.
_ADDRESS: Final = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
COMMANDS: Final = (
    ("send", "ada", "-m", "see https://192.0.2.1/x and mailto:ada@192.0.2.1"),
    ("inbox",),
    ("read",),
    ("board",),
    ("sync",),
    ("search", "https"),
    ("stats",),
    ("patrol",),
    ("verify",),
    ("snapshot",),
    ("doctor",),
    ("status",),
)


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    folder = tmp_path / "calls"
    folder.mkdir()
    return folder


def traced(calls: Path) -> tuple[str, ...]:
    program = shutil.which("strace")
    if program is None:
        pytest.skip("strace is not installed; it is needed to see the addresses")
    return (
        program,
        "-ff",
        "-qq",
        "-e",
        "trace=bind,connect,sendto,sendmsg,sendmmsg",
        "-o",
        str(calls / "of"),
    )


def addresses(calls: Path) -> set[str]:
    """Return the addresses in the traces of all processes."""
    text = "".join(each.read_text(encoding="utf-8", errors="replace") for each in calls.iterdir())
    return {first or second for first, second in _ADDRESS.findall(text)}


def run(calls: Path, folder: Path, *words: str) -> None:
    command = [*traced(calls), *words]
    subprocess.run(
        command,
        cwd=folder,
        env=environment("ada"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )


def test_another_address_is_seen_in_a_trace(calls: Path, tmp_path: Path) -> None:
    program = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"

    run(calls, tmp_path, sys.executable, "-c", program)

    assert addresses(calls) == {"192.0.2.1"}


def test_commands_speak_to_no_machine(calls: Path, tmp_path: Path) -> None:
    place = Place(tmp_path / "project")

    for words in COMMANDS:
        run(calls, place.folder, PROGRAM, *words)

    assert any(calls.iterdir())
    assert addresses(calls) == set()


def test_the_daemon_and_its_dashboard_speak_to_their_own_machine_alone(calls: Path, tmp_path: Path) -> None:
    place = Place(tmp_path / "project")
    place.mount("swarm")
    command = [*traced(calls), PROGRAM, "up", "--quiet"]

    daemon = subprocess.Popen(command, cwd=place.folder, env=environment("ada"), start_new_session=True)
    try:
        eventually(lambda: daemon_answers(place.folder) and (place.folder / ".palaver/web.json").exists())
        run(calls, place.folder, PROGRAM, "send", "ada", "-m", "hello")
        # A signal would end strace, not what it traces.
        run(calls, place.folder, PROGRAM, "down")
        daemon.wait(PATIENCE)
    finally:
        if daemon.poll() is None:
            os.killpg(daemon.pid, signal.SIGKILL)
            daemon.wait(PATIENCE)

    assert "hello" in place.bodies()
    assert addresses(calls) == {"127.0.0.1"}
