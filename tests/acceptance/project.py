"""A project in a temporary folder, used as its agents use it: through files and commands.

Nothing here imports the product. A setup step that fails raises RuntimeError, or TypeError for an answer of
an unexpected shape, so that an AssertionError in a test always means that the law itself does not hold.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.acceptance.files import read
from tests.patience import PATIENCE
from tests.processes import forked

PROGRAMS: Final = Path(sys.executable).parent
PALAVER: Final = str(PROGRAMS / "palaver")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The output of a command and its exit code."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err

    @property
    def fields(self) -> dict[str, object]:
        """Return the JSON object on standard output."""
        value = json.loads(self.out)
        if not isinstance(value, dict):
            raise TypeError(f"not a JSON object: {self}")
        return value

    @property
    def rows(self) -> list[dict[str, object]]:
        """Return the list of JSON objects on standard output."""
        value = json.loads(self.out)
        if not isinstance(value, list):
            raise TypeError(f"not a JSON list: {self}")
        return value


class Project:
    """One folder with a bus, and the home folder of its user beside it, both in `base`."""

    def __init__(self, base: Path) -> None:
        self.folder, self.home = base / "project", base / "home"
        self.root = self.folder / ".palaver"
        for each in (self.folder, self.home):
            each.mkdir(parents=True, exist_ok=True)
        # A whole environment of its own: nothing of the machine tells a command who speaks, or where.
        self.env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            # Most projects are copied from a template, and a copy is trusted only if somebody says so.
            "PALAVER_TRUST": str(self.folder),
        }
        self._appended: dict[Path, str] = {}

    @classmethod
    def create(cls, base: Path, person: str) -> "Project":
        """Return a new project with a bus, for a person of this name."""
        project = cls(base)
        project.do("init", "--person", person, "--no-mounts")
        return project

    @classmethod
    def copy(cls, template: Path, base: Path) -> "Project":
        """Return a copy of the project in another base folder, with the home folder of its user."""
        shutil.copytree(template, base, symlinks=True, dirs_exist_ok=True)
        return cls(base)

    # --- commands ---

    def run(
        self,
        *words: str,
        agent: str = "",
        program: str = "palaver",
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        under: Sequence[str] = (),
        before: Callable[[], object] | None = None,
    ) -> Answer:
        """Run one command to its end, as `agent` if one is named.

        It is started by the command `under`, if there is one; `before` is called in the child process.
        """
        done = subprocess.run(
            [*under, str(PROGRAMS / program), *words],
            input=stdin,
            capture_output=True,
            cwd=self.folder,
            env={**self._environment(program, agent), **(env or {})},
            timeout=PATIENCE,
            check=False,
            preexec_fn=before,
        )
        return _answer(done)

    def do(self, *words: str, agent: str = "", program: str = "palaver", stdin: bytes = b"") -> Answer:
        """Run a setup command, which must succeed; its process is a fork, because there are so many."""
        environment = self._environment(program, agent)
        command = [str(PROGRAMS / program), *words]
        answer = _answer(forked.run(command, cwd=self.folder, env=environment, stdin=stdin))
        if answer.code != 0:
            raise RuntimeError(f"{program} {' '.join(words)}: {answer}")
        return answer

    def _environment(self, program: str, agent: str) -> dict[str, str]:
        variable = "PALAVER_AGENT" if program == "palaver" else "AGENT_ID"
        return {**self.env, **({variable: agent} if agent else {})}

    def sync(self) -> None:
        """Take in what the agents wrote, and write what they are to read."""
        self.do("sync")

    def mount(self, dialect: str, *settings: str, name: str = "") -> Path:
        """Mount a folder of the project, called like its dialect unless it has a name; return the folder."""
        folder = self.folder / (name or dialect)
        folder.mkdir(exist_ok=True)
        options = [word for setting in settings for word in ("--set", setting)]
        self.do("mount", "add", dialect, str(folder), "--name", folder.name, *options)
        return folder

    # --- files ---

    def append(self, path: Path, *lines: str, end: str = "\n") -> None:
        """Append lines as an agent does: open, one write, close."""
        text = "".join(f"{line}{end}" for line in lines)
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)
        self._appended[path] = self._appended.get(path, "") + text

    def say(self, path: Path, *lines: str) -> None:
        """Append lines, and let the bus take them in."""
        self.append(path, *lines)
        self.sync()

    def bus_lines(self, path: Path) -> list[str]:
        """Return the lines of a file that no agent of this test appended: those of the bus, in order."""
        return [line for _, line in self._bus_entries(path)]

    def bus_line_numbers(self, path: Path) -> list[int]:
        """Return the numbers of those lines, counted from 1."""
        return [number for number, _ in self._bus_entries(path)]

    def _bus_entries(self, path: Path) -> list[tuple[int, str]]:
        own = Counter(self._appended.get(path, "").split("\n")[:-1])
        found = []
        for number, line in enumerate(read(path).split("\n")[:-1], 1):
            if own[line] > 0:
                own[line] -= 1
            else:
                found.append((number, line))
        return found

    # --- what the bus knows ---

    def task(self, name: str) -> dict[str, object]:
        """Return a task as `palaver task show` tells it, or no fields if it is not known."""
        answer = self.run("task", "show", name, "--json")
        return answer.fields if answer.code == 0 else {}

    def messages(self, *words: str) -> list[dict[str, object]]:
        """Return the messages that hold all words, the newest first."""
        return self.do("search", *words, "--json").rows

    def agents(self) -> set[str]:
        """Return the names of all agents."""
        return {str(row["id"]) for row in self.do("agents", "--json").rows}

    def events(self, event_type: str) -> list[dict[str, object]]:
        """Return the events of a type, oldest first."""
        return self.do("events", "--type", event_type, "-n", "1000", "--json").rows

    def findings(self) -> list[dict[str, object]]:
        """Return what the bus has found in lines that it took all the same, each with its file and line."""
        found: list[dict[str, object]] = []
        for event in self.do("events", "-n", "1000", "--json").rows:
            data, src = _table(event, "data"), _table(event, "src")
            if event["event_type"] == "file.found":
                found.append({**data, "file": _table(data, "src")["file"]})
            listed = data.get("found")
            if isinstance(listed, list):
                found += [{**each, "file": src["file"]} for each in listed]
        return found

    def waits(self) -> list[dict[str, object]]:
        """Return what `palaver waiting` lists."""
        return _listed(self.run("waiting", "--json"), "waits")

    def files(self) -> list[dict[str, object]]:
        """Return what `palaver status` says of each file."""
        return _listed(self.do("status", "--json"), "files")

    def questions(self) -> list[dict[str, object]]:
        """Return the questions that wait for an answer."""
        return [each for each in self.waits() if each["kind"] == "ask"]


def _answer(done: "subprocess.CompletedProcess[bytes]") -> Answer:
    out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return Answer(code=done.returncode, out=out, err=err)


def _listed(answer: Answer, name: str) -> list[dict[str, object]]:
    found = answer.fields[name]
    if not isinstance(found, list):
        raise TypeError(f"no {name}: {answer}")
    return found


def _table(fields: dict[str, object], name: str) -> dict[str, object]:
    found = fields.get(name)
    return found if isinstance(found, dict) else {}
