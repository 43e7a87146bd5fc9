"""A project in a temporary folder, used as its agents use it: through files and commands.

Nothing here imports the product. A setup step that fails raises RuntimeError, or TypeError for an answer of
an unexpected shape, so that an AssertionError in a test always means that the law itself does not hold.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE

PALAVER: Final = str(Path(sys.executable).with_name("palaver"))

#: What the agents of a dialect find in its folder before anybody has written: folders end in a slash.
LAYOUT: Final = {
    "office": ("messages/manager-inbox.log",),
    "vermas": (".work/messages.jsonl",),
    "swarm": ("channel.jsonl",),
    "runbus": ("MESSAGE-BUS.md",),
    "collab": ("chat.log", "inbox/"),
}

#: Seconds that a test waits for what `palaver up` does not do yet; PATIENCE where the law is kept.
SHORT_WAIT: Final = 3.0


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
    """One folder with a bus, and the folders of the teams that are mounted on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.home = folder / "home"
        self._appended: dict[Path, Counter[str]] = {}
        for each in (self.folder, self.home):
            each.mkdir(parents=True, exist_ok=True)

    def init(self) -> None:
        """Create the bus, for a person called boss."""
        self.do("init", "--person", "boss", "--no-mounts")

    # --- commands ---

    def run(self, *words: str, speaker: str = "") -> Answer:
        """Run one command to its end, as `speaker` if one is named."""
        named = ("--as", speaker) if speaker else ()
        done = subprocess.run(
            [PALAVER, *words, *named],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.folder,
            env=self._environment(),
            timeout=PATIENCE,
            check=False,
        )
        out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
        return Answer(code=done.returncode, out=out, err=err)

    def do(self, *words: str, speaker: str = "") -> Answer:
        """Run a setup command, which must succeed."""
        answer = self.run(*words, speaker=speaker)
        if answer.code != 0:
            raise RuntimeError(f"palaver {' '.join(words)}: {answer}")
        return answer

    def sync(self) -> None:
        """Take in what the agents wrote, and write what they are to read."""
        self.do("sync")

    def mount(self, dialect: str, name: str = "", **settings: str) -> Path:
        """Create the folder of a team, mount it, and return it."""
        folder = self.create(dialect, name)
        given = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        self.do("mount", "add", dialect, str(folder), "--name", name or dialect, *given)
        return folder

    def create(self, dialect: str, name: str = "") -> Path:
        """Create the folder of a team as its agents find it, without mounting it."""
        folder = self.folder / (name or dialect)
        for file in LAYOUT[dialect]:
            path = folder / file
            (path if file.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
            if not file.endswith("/"):
                path.touch()
        return folder

    @contextmanager
    def up(self) -> Iterator[None]:
        """Keep `palaver up` running while something is done."""
        log = self.home / "up.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [PALAVER, "up", "--no-web"],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                # It says so as soon as it watches.
                wait_until(lambda: log.stat().st_size or process.poll() is not None, PATIENCE)
                if process.poll() is not None:
                    raise RuntimeError(f"palaver up ended: {log.read_text()}")
                yield
            finally:
                process.terminate()
                process.wait(PATIENCE)

    def _environment(self) -> dict[str, str]:
        # A whole environment of its own: nothing of the machine tells a command who speaks, or where.
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            # The bus is copied from a template, and a copy is trusted only if somebody says so.
            "PALAVER_TRUST": str(self.folder),
        }

    # --- files ---

    def append(self, path: Path, *lines: str) -> None:
        """Append lines as an agent does: open, one write, close."""
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(fd, "".join(f"{line}\n" for line in lines).encode())
        finally:
            os.close(fd)
        written = self._appended.setdefault(path, Counter())
        written.update(part for line in lines for part in line.split("\n"))

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
        own = Counter(self._appended.get(path, {}))
        found = []
        for number, line in enumerate(read_lines(path), 1):
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

    def waits(self) -> list[dict[str, object]]:
        """Return what `palaver waiting` lists."""
        return _listed(self.run("waiting", "--json"), "waits")

    def files(self) -> list[dict[str, object]]:
        """Return what `palaver status` says of each file."""
        return _listed(self.do("status", "--json"), "files")

    def questions(self) -> list[dict[str, object]]:
        """Return the questions that wait for an answer."""
        return [each for each in self.waits() if each["kind"] == "ask"]


def _listed(answer: Answer, name: str) -> list[dict[str, object]]:
    found = answer.fields[name]
    if not isinstance(found, list):
        raise TypeError(f"no {name}: {answer}")
    return found


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file; none if there is no such file."""
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []


def wait_until(happened: Callable[[], object], seconds: float) -> bool:
    """Wait until something happened; return False if it did not within so many seconds."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
