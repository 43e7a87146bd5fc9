"""A project with a bus, the commands typed there, and its daemon, which ends with the test."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palaver.bus.root import Root
from palaver.daemon.background import RunningDaemon, find_daemon, stop
from palaver.runs.process_table import find_process
from palaver.wiring import begin
from tests.cli.spoken import PALAVER, Answer, polite, surroundings
from tests.patience import PATIENCE


class Project:
    """A project whose person is ada, and whose commands are real processes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        begin(str(folder), "ada")
        self.folder = folder
        self.root = Root(str(folder / ".palaver"))
        self.type("agents", "add", "bob")

    @property
    def daemon(self) -> RunningDaemon | None:
        return find_daemon(self.root)

    @property
    def process(self) -> int:
        """Return the process of the daemon, which must run."""
        found = self.daemon
        assert found is not None
        return found.process

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [PALAVER, *words],
            cwd=self.folder,
            env=surroundings(PALAVER_AGENT="ada") | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def type(self, *words: str, **more: str) -> Answer:
        """Run a command to its end."""
        return self.end_of(self.start(*words, **more))

    def end_of(self, process: "subprocess.Popen[str]") -> Answer:
        out, err = process.communicate(timeout=PATIENCE)
        return polite(Answer(code=process.returncode, out=out, err=err))

    def configure(self, line: str) -> None:
        """Put a setting on top of the config."""
        path = self.folder / ".palaver/config.toml"
        path.write_text(f"{line}\n{path.read_text()}")


@contextmanager
def project(folder: Path) -> Iterator[Project]:
    """Make a project, and end its daemon afterwards."""
    made = Project(folder)
    try:
        yield made
    finally:
        stop(made.root)


def is_alive(process: int) -> bool:
    return find_process(process) is not None
