"""A project folder with a bus, used as its users use it: by files and by commands."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

from tests.patience import PATIENCE

PROGRAMS: Final = Path(sys.executable).parent
_INHERITED: Final = ("PATH", "LANG", "LC_ALL", "TZ")


class Answer(NamedTuple):
    """The exit code of a command, its standard output, and both of its outputs together."""

    code: int
    out: str
    text: str


class Project:
    """A temporary project with a bus; its commands run as processes in an isolated environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        home = {name: str(folder / name) for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        self.environment = {**{name: os.environ[name] for name in _INHERITED if name in os.environ}, **home}
        self.do("palaver", "init", "--no-mounts", "--person", "pat")

    def run(self, program: str, *words: str, agent: str = "") -> Answer:
        """Run a command to its end, whatever its exit code."""
        done = subprocess.run(
            [str(PROGRAMS / program), *words],
            cwd=self.folder,
            env={**self.environment, **({"AGENT_ID": agent} if agent else {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        out = done.stdout.decode()
        return Answer(done.returncode, out, out + done.stderr.decode())

    def do(self, program: str, *words: str, agent: str = "") -> Answer:
        """Run a command of the setup, which must succeed: a failure here is not the law under test."""
        answer = self.run(program, *words, agent=agent)
        if answer.code:
            raise RuntimeError(f"{program} {' '.join(words)}: exit {answer.code}\n{answer.text}")
        return answer

    def mount(self, dialect: str, *settings: str, name: str = "") -> Path:
        """Mount a folder of the project, which is called as its dialect unless it gets a name."""
        folder = self.folder / (name or dialect)
        folder.mkdir(exist_ok=True)
        options = [word for setting in settings for word in ("--set", setting)]
        self.do("palaver", "mount", "add", dialect, str(folder), *options)
        return folder

    def sync(self) -> Answer:
        return self.do("palaver", "sync")


def append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def read(path: Path) -> str:
    """Return the text of a file; one that does not exist is empty."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def records(path: Path) -> list[dict[str, object]]:
    """Return the objects of a JSON Lines file."""
    return [json.loads(line) for line in read(path).split("\n") if line.strip()]
