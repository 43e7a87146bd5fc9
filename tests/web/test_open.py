"""`palaver open`: serves, finds what is served, and tells its token to nobody else."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

from palaver.web import discovery
from palaver.web.server import Server
from palaver.wiring import begin
from tests.cli.test_json_reference import check
from tests.patience import PATIENCE
from tests.sync.living import eventually

PALAVER: Final = str(Path(sys.executable).parent / "palaver")
CALLERS: Final = 400
WORDS: Final = ("open", "--no-browser", "--json")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    begin(str(tmp_path), "ada")
    return tmp_path


@pytest.fixture
def served(project: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Return a dashboard in the foreground of another process, and what it said."""
    process = subprocess.Popen([PALAVER, *WORDS], cwd=project, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_it_serves_until_it_is_interrupted_and_leaves_nothing_behind(
    project: Path, served: tuple[subprocess.Popen[str], dict[str, str]]
) -> None:
    process, said = served
    check("open", said)
    page = said["address"].partition("#")[0]
    with urllib.request.urlopen(page, timeout=PATIENCE) as answer:  # noqa: S310 - our own address
        assert b"Palaver" in answer.read()

    process.send_signal(signal.SIGINT)

    assert process.wait(PATIENCE) == 130
    assert not (project / ".palaver" / "web.json").exists()


def test_asked_again_it_gives_another_way_into_the_same_server(
    project: Path, served: tuple[subprocess.Popen[str], dict[str, str]]
) -> None:
    process, said = served

    done = subprocess.run(
        [PALAVER, *WORDS], cwd=project, capture_output=True, text=True, timeout=PATIENCE, check=True
    )

    again = json.loads(done.stdout)
    assert again["pid"] == process.pid
    assert again["address"].partition("#")[0] == said["address"].partition("#")[0]
    assert again["address"] != said["address"]


def test_who_sits_at_the_port_without_the_key_is_told_nothing(project: Path) -> None:
    server = Server(str(project))
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as squatter:
        (project / ".palaver" / "web.json").write_text(
            json.dumps({"pid": 1, "port": squatter.getsockname()[1], "boot": "x"}), encoding="utf-8"
        )

        def answer() -> None:
            wire, _ = squatter.accept()
            with wire:
                heard.append(wire.recv(65_536))
                wire.sendall(b'HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n{"proof":"1234"}'[:-1])

        thread = Thread(target=answer)
        thread.start()
        found = discovery.running(server._bus.root)
        thread.join(PATIENCE)

    assert found is None
    assert b"/api/hello?challenge=" in heard[0]
    assert b"authorization" not in heard[0].lower()


def test_a_port_that_is_taken_is_refused_and_named(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = [PALAVER, "open", "--no-browser", "--port", str(port)]
        done = subprocess.run(
            words, cwd=project, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    assert done.returncode == 5
    assert f"port {port}" in done.stderr
    assert f"process {os.getpid()} " in done.stderr
    assert "[port-taken]" in done.stderr


def test_it_listens_on_this_machine_alone(project: Path) -> None:
    server = Server(str(project))
    server.start()
    try:
        assert server._socket.getsockname()[0] == "127.0.0.1"
        assert server.address.startswith(f"http://127.0.0.1:{server.port}/#in=")
    finally:
        server.stop()


def test_the_next_server_takes_the_port_of_the_last_one_that_died(project: Path) -> None:
    first = Server(str(project))
    first.start()
    port, word = first.port, (project / ".palaver" / "web.json").read_bytes()
    first.stop()
    # One that died leaves its word behind.
    (project / ".palaver" / "web.json").write_bytes(word)

    second = Server(str(project))
    second.start()

    assert second.port == port
    second.stop()


@pytest.mark.parametrize("_", range(3))
def test_whoever_comes_while_it_stops_is_disconnected(project: Path, _: int) -> None:
    server = Server(str(project))
    server.start()
    came: list[socket.socket] = []

    def come() -> None:
        with suppress(OSError):
            while len(came) < CALLERS:
                came.append(socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE))

    callers = Thread(target=come)
    callers.start()
    eventually(lambda: came)
    server.stop()
    callers.join()

    for each in came:
        with each, suppress(ConnectionResetError):
            assert each.recv(1) == b""


def test_a_bus_without_a_person_asks_who_sits_there(project: Path) -> None:
    config = project / ".palaver" / "config.toml"
    config.write_text(
        config.read_text(encoding="utf-8").replace('person = "ada"', 'person = ""'), encoding="utf-8"
    )

    done = subprocess.run(
        [PALAVER, *WORDS], cwd=project, capture_output=True, text=True, timeout=PATIENCE, check=False
    )

    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "who-speaks"


def test_no_token_is_kept_in_any_file_but_the_one_for_the_browser(project: Path) -> None:
    server = Server(str(project))
    server.start()
    way = server.address.partition("#in=")[2]
    server.stop()

    holding = [
        path
        for path in (project / ".palaver").rglob("*")
        if path.is_file() and way.encode() in path.read_bytes()
    ]

    assert holding == []


def test_a_disk_that_takes_no_more_is_told_and_the_page_goes_on(project: Path) -> None:
    # Half a megabyte, and not a byte more, in any file of this process.
    words = ["sh", "-c", f"ulimit -f 1024; exec {PALAVER} {' '.join(WORDS)}"]
    process = subprocess.Popen(words, cwd=project, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        origin, _, way = json.loads(process.stdout.readline())["address"].partition("/#in=")
        _, told = _asked(f"{origin}/api/session", way, {})
        session = told["session"]
        answers: list[int] = []
        while 507 not in answers and len(answers) < 40:
            status, told = _asked(f"{origin}/api/messages", session, {"to": "ada", "body": "x" * 50_000})
            answers.append(status)
        about, _ = _asked(f"{origin}/api/about", session)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    assert set(answers) == {201, 507}
    assert told["error"]["code"] == "storage"
    assert about == 200


def _asked(address: str, token: str, body: object = None) -> tuple[int, Any]:
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, content, headers)  # noqa: S310 - our own address
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - our own address
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as fault:
        with fault:
            return fault.code, json.loads(fault.read())
