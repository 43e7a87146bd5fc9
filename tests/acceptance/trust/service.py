"""The long-running processes of a project: `palaver up` with its dashboard, and programs inside runs."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from tests.acceptance.project_c import PROGRAM, Project, Result
from tests.patience import PATIENCE

# Reads the commands to run from a FIFO, and prints the result of each.
INSIDE: Final = """
import json, subprocess, sys
for line in open(sys.argv[1]):
    done = subprocess.run(json.loads(line), capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""
# Runs a command until it has printed one line, or has ended without one.
ONE_LINE: Final = """
import subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
line = process.stdout.readline().decode()
if line:
    process.terminate()
print(line)
sys.exit(abs(process.wait()))
"""


def wait_until(happened: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Wait until something has happened; return False if it has not after `seconds`."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Service:
    """A real `palaver up`: its HTTP API as the person's browser calls it, and its socket."""

    def __init__(self, project: Project, log: Path) -> None:
        self.project = project
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [PROGRAM, "up"], cwd=project.folder, env=project.env, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        inner = project.root
        if not wait_until(lambda: (inner / "socket").exists() and (inner / "web.json").exists(), 60):
            self.stop()
            raise RuntimeError(f"setup failed: palaver up is not ready: {log.read_text()}")
        address = str(json.loads(project.prepare("open", "--no-browser", "--json").out)["address"])
        self.port = urlsplit(address).port or 0
        status, answer = self.request("/api/session", {}, token=address.partition("#in=")[2])
        if status != 200:
            raise RuntimeError(f"setup failed: no session: {status} {answer}")
        self.session = str(answer["session"])

    def request(
        self, path: str, body: object = None, token: str | None = None
    ) -> tuple[int, dict[str, object]]:
        """Call the API, with the session of the person unless another token is given; "" sends none."""
        bearer = self.session if token is None else token
        fields = {"authorization": f"Bearer {bearer}"} if bearer else {}
        if body is not None:
            fields["content-type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            method = "GET" if body is None else "POST"
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def call(self, path: str, body: object = None) -> dict[str, object]:
        """Call the API as a step of the setup, or to look at something."""
        status, answer = self.request(path, body)
        if status not in (200, 201):
            raise RuntimeError(f"setup failed: {path} {body}: {status} {answer}")
        return answer

    def rows(self, path: str, key: str) -> list[dict[str, object]]:
        """Return a list of objects that the API answers with."""
        found = self.call(path)[key]
        if not isinstance(found, list):
            raise TypeError(f"setup failed: {path} has no list {key}: {found}")
        return found

    def say(self, request: dict[str, object]) -> dict[str, object]:
        """Send one line of JSON to the socket; return the answer."""
        folder = os.open(self.project.root, os.O_RDONLY)
        try:
            with socket.socket(socket.AF_UNIX) as wire:
                wire.settimeout(PATIENCE)
                # A path of a socket must be short, and folders of tests are deep.
                wire.connect(f"/proc/self/fd/{folder}/socket")
                wire.sendall(json.dumps(request).encode() + b"\n")
                return dict(json.loads(wire.makefile().readline()))
        finally:
            os.close(folder)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)


class AgentRun:
    """A program that `palaver run` has started as an agent, and that runs commands for a test."""

    def __init__(self, project: Project, agent: str, scratch: Path) -> None:
        requests = scratch / f"{agent}.fifo"
        os.mkfifo(requests)
        self._process = subprocess.Popen(
            [PROGRAM, "run", "--as", agent, "--", sys.executable, "-c", INSIDE, str(requests)],
            cwd=project.folder, env=project.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        # For both ways, or this would wait for ever for a reader that could not be started.
        self._requests = os.fdopen(os.open(requests, os.O_RDWR), "w", encoding="utf-8")

    def execute(self, *words: str) -> Result:
        """Run a program inside the run."""
        self._requests.write(json.dumps(words) + "\n")
        self._requests.flush()
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise RuntimeError(f"setup failed: the run has ended: {self._process.communicate()}")
        code, out, err = json.loads(line)
        return Result(code=code, out=out, err=err)

    def run(self, *words: str) -> Result:
        """Run a command of palaver inside the run."""
        return self.execute(PROGRAM, *words)

    def start(self, *words: str) -> Result:
        """Run a command of palaver that may go on for ever, and end it when it has printed a line."""
        return self.execute(sys.executable, "-c", ONE_LINE, PROGRAM, *words)

    def variable(self, name: str) -> str:
        """Return a variable of the environment inside the run."""
        return self.execute("printenv", name).out.strip()

    def stop(self) -> None:
        self._requests.close()
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)
