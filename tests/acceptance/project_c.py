"""A project with its own home folder, and the commands that its users run, as real processes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE

PROGRAM: Final = str(Path(sys.executable).with_name("palaver"))
PRIVATE: Final = ("PALAVER_", "AGENT_ID", "RUN_ID", "WORK_ORDER_ID", "RUNS_DIR", "GIT_", "XDG_", "PYTHON")
INNER: Final = {"office": "messages", "vermas": ".work", "collab": "inbox"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The exit code and the output of one command."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


class Project:
    """A folder with a bus. `base` also holds the home folder of its user."""

    def __init__(self, base: Path) -> None:
        self.folder, self.home = base / "project", base / "home"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.home.mkdir(exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(PRIVATE)}
        state = {"XDG_STATE_HOME": f"{self.home}/state", "XDG_CONFIG_HOME": f"{self.home}/config"}
        # Projects are copied from a template, and a copy is trusted only if somebody says so.
        self.env = {**inherited, "HOME": str(self.home), **state, "PALAVER_TRUST": str(self.folder)}
        self.root = self.folder / ".palaver"

    def run(
        self, *words: str, agent: str = "", env: Mapping[str, str] | None = None, stdin: bytes = b"",
        seconds: float = PATIENCE, before: Callable[[], object] | None = None, under: Sequence[str] = (),
    ) -> Result:  # fmt: skip
        """Run one command to its end, `under` another program, after `before` was called in the child."""
        named = {"PALAVER_AGENT": agent} if agent else {}
        done = subprocess.run(
            [*under, PROGRAM, *words], cwd=self.folder, env={**self.env, **named, **(env or {})}, input=stdin,
            capture_output=True, timeout=seconds, check=False, preexec_fn=before,
        )  # fmt: skip
        out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
        return Result(code=done.returncode, out=out, err=err)

    def prepare(self, *words: str, agent: str = "", stdin: bytes = b"") -> Result:
        """Run a command of the setup. Its failure is a broken test, not a broken law."""
        done = self.run(*words, agent=agent, stdin=stdin)
        if done.code != 0:
            raise RuntimeError(f"setup failed: {words} {done}")
        return done

    def mount(self, dialect: str, *settings: str, name: str = "") -> Path:
        """Mount a new folder and return it."""
        folder = self.folder / (name or dialect)
        (folder / INNER.get(dialect, ".")).mkdir(parents=True)
        options = [word for setting in settings for word in ("--set", setting)]
        self.prepare("mount", "add", dialect, str(folder), "--name", name or dialect, *options, agent="ada")
        return folder

    def events(self, event_type: str) -> list[dict[str, object]]:
        """Return the events of a type, oldest first."""
        return list(json.loads(self.prepare("events", "--type", event_type, "-n", "1000", "--json").out))


def append(path: Path, *lines: str) -> None:
    """Append lines to a file as `echo >>` does."""
    with path.open("ab") as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
