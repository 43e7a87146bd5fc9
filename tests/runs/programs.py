"""Somebody who starts programs under the bus, and small programs to start."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from palaver import Bus
from palaver.runs.status import list_runs
from tests.cli.spoken import PALAVER, Answer, Shell
from tests.patience import PATIENCE

ANY: Final = frozenset(range(256))
# Says that it is up, and goes on for longer than any test does.
WAITS: Final = "echo up; exec sleep 300"
# Does not end when it is asked to, and its sleeps do not either.
STUBBORN: Final = "trap '' TERM HUP; echo up; while :; do sleep 0.05; done"


def until(happened: Callable[[], object]) -> None:
    """Wait for something; fail if it does not come."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Tell whether a process does anything still."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Somebody who stands at a bus and starts programs."""

    shell: Shell

    def run(self, *words: str, stdin: bytes = b"", agent: str = "bob") -> Answer:
        """Run a program to its end."""
        return self.shell.run("run", "--as", agent, *words, stdin=stdin, codes=ANY)

    def sh(self, script: str, *options: str, agent: str = "bob") -> Answer:
        """Run a script of the shell to its end."""
        return self.run(*options, "--", "sh", "-c", script, agent=agent)

    @contextmanager
    def going(self, script: str, *options: str, agent: str = "bob") -> Iterator["subprocess.Popen[bytes]"]:
        """Start a script, wait until it has printed `up`, and see that nothing of it is left behind."""
        words = [PALAVER, "run", "--as", agent, *options, "--", "sh", "-c", script]
        before = len(self.listed())
        keeper = subprocess.Popen(
            words,
            cwd=self.shell.folder,
            env=dict(self.shell.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert keeper.stdout
            assert keeper.stdout.readline() == b"up\n", keeper.communicate()
            until(lambda: len(self.listed()) > before)
            yield keeper
        finally:
            for each in self.listed():
                if each["ended_at"] is None:
                    with_no_one_left(int(str(each["pid"])))
            keeper.kill()
            keeper.communicate()

    @property
    def bus(self) -> Bus:
        """Return the bus, as a program of ours sees it: starting a command for each question takes long."""
        return Bus(str(self.shell.folder), agent="ada")

    def listed(self, *, going: bool = False) -> list[dict[str, object]]:
        """Return the runs, the newest first."""
        return [each.plain() for each in list_runs(self.bus.session, going=going, limit=100)]

    def last(self) -> dict[str, object]:
        """Return the newest run."""
        return self.listed()[0]

    def events(self, event_type: str) -> list[dict[str, object]]:
        """Return what the events of a type say."""
        return [event.data for event in self.bus.events(event_type=event_type, limit=1_000)]

    def trace(self, path: str) -> bytes:
        """Return a file of the traces."""
        return (self.shell.folder / "runs" / path).read_bytes()

    def configure(self, text: str) -> None:
        """Add to the config."""
        config = self.shell.folder / ".palaver/config.toml"
        config.write_text(config.read_text() + text)


def with_no_one_left(pid: int) -> None:
    """End the group of a program that one of our tests started."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
