"""A bus to try things on, what stands in it, and other processes that use it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus, Refusal
from palaver.log.lock import Lock
from palaver.wiring import begin
from tests.patience import PATIENCE

# What every process below starts with: the bus, opened; it says so, and goes on when told to.
_OPENING: Final = """
import json, os, sys
from palaver import Bus, Refusal
bus = Bus(sys.argv[1], agent=sys.argv[2])
words = sys.argv[3:]
def say(value):
    print(json.dumps(value), flush=True)
say("ready")
sys.stdin.readline()
"""


def bus_in(folder: Path, *agents: str) -> Bus:
    """Make a bus that ada begins, with these agents beside her."""
    begin(str(folder), "ada")
    bus = Bus(str(folder), agent="ada")
    for agent in agents:
        bus.add_agent(agent)
    return bus


def written(bus: Bus) -> bytes:
    """Return every byte of the log."""
    log = bus.session.log
    return b"".join(log.chunk(start).content for start in log.chunk_starts())


@contextmanager
def refused(bus: Bus, code: str) -> Iterator[pytest.ExceptionInfo[Refusal]]:
    """Expect a refusal with this code, a reason and a way out, and that the log stays as it was."""
    before = written(bus)
    with pytest.raises(Refusal) as caught:
        yield caught

    assert caught.value.code == code
    assert str(caught.value)
    assert written(bus) == before


def ids(bus: Bus, agent: str, scope: str = "open") -> list[str]:
    """Return the ids in an agent's inbox, in order."""
    return [each.message.id for each in bus.inbox(agent, scope=scope, limit=10_000).mail]


def bodies(bus: Bus, agent: str, scope: str = "open") -> list[str]:
    """Return the texts in an agent's inbox, in order."""
    return [each.message.body for each in bus.inbox(agent, scope=scope, limit=10_000).mail]


def stage(bus: Bus, message_id: str, agent: str) -> str:
    """Return how far a message got with an agent."""
    [said] = [each for each in bus.thread(message_id) if each.message.id == message_id]
    return {each.agent: each.stage for each in said.deliveries}[agent]


def environment() -> dict[str, str]:
    """Return our environment without what would tell a bus who speaks, or where."""
    unwanted = ("PALAVER_ROOT", "PALAVER_AGENT", "AGENT_ID")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


class Other:
    """Another process with the same bus open, as an agent of its own."""

    def __init__(self, bus: Bus, agent: str, code: str, *words: str) -> None:
        """Start it and wait until it has the bus open; it goes on when told to."""
        self._process = subprocess.Popen(
            [sys.executable, "-c", _OPENING + code, bus.root.path, agent, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        assert self.heard() == "ready"

    def go(self) -> None:
        """Let it go on."""
        self.tell("")

    def tell(self, line: str) -> None:
        """Say something to it."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def heard(self) -> object:
        """Return the next thing it says."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process ended without a word"
        return json.loads(line)

    def kill(self) -> None:
        """End it at once, wherever it is."""
        self._process.kill()
        self.ended()

    def ended(self) -> int:
        """Wait for its end and return how it ended."""
        code = self._process.wait(PATIENCE)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        return code


@contextmanager
def other(bus: Bus, agent: str, code: str, *words: str) -> Iterator[Other]:
    """Start another process; whatever happens, it does not outlive the test."""
    process = Other(bus, agent, code, *words)
    try:
        yield process
    finally:
        process.kill()


def race(bus: Bus, agents: list[str], code: str, *words: str) -> list[object]:
    """Let processes, one for each agent, do the same at once; return what each of them says.

    While they start the log is locked, so that all of them have looked before the first one writes.
    """
    runners = [Other(bus, agent, code, *words) for agent in agents]
    lock = Lock(bus.root.log_lock)
    try:
        assert lock.acquire(PATIENCE)
        for runner in runners:
            runner.go()
        time.sleep(0.3)
        lock.release()
        return [runner.heard() for runner in runners]
    finally:
        for runner in runners:
            runner.kill()
