"""A command as somebody runs it: a process of its own, and what it answered.

Every answer is looked at, whatever a test asks: no traceback, no mistake of our own, an exit code that is
documented, and nothing on the terminal that does more than print.
"""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from palaver.bus import trust
from tests.cli.daemons import DAEMONS
from tests.patience import PATIENCE
from tests.processes import forked

BIN: Final = Path(sys.executable).parent
PALAVER: Final = str(BIN / "palaver")
# What the launcher starts where there is no daemon.
PALAVER_PY: Final = str(BIN / "palaver-py")
# Nothing takes longer; a command that does hangs.
CODES: Final = frozenset({0, 1, 2, 3, 4, 5, 130})

# Control characters but the newline, C1, marks of direction, what has no width, separators of lines.
TRICKS: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)

# Capabilities with which root ignores the modes of files.
DAC_OVERRIDE: Final = 1
DAC_READ_SEARCH: Final = 2
PR_CAPBSET_DROP: Final = 24
LIBC: Final = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def value(self) -> object:
        """Return the one JSON value that stands on standard output."""
        return json.loads(self.out)

    @property
    def fields(self) -> dict[str, object]:
        """Return the one JSON object that stands on standard output."""
        value = json.loads(self.out)
        assert isinstance(value, dict), self
        return value

    @property
    def rows(self) -> list[dict[str, object]]:
        """Return the list of JSON objects that stands on standard output."""
        value = json.loads(self.out)
        assert isinstance(value, list), self
        return value

    @property
    def message_id(self) -> str:
        """Return the id of the message that was sent."""
        return self.out.partition(": ")[2].split()[0]


def copy_bus(template: Path, folder: Path) -> None:
    """Copy a project with its bus, and accept the copy, which gets an id of its own."""
    shutil.copytree(template, folder, symlinks=True)
    (folder / ".palaver/id").unlink()
    trust.accept(str(folder / ".palaver"))


def with_user_config(shell: "Shell", text: str) -> "Shell":
    """Return the same shell for a user whose own config says this."""
    own = shell.folder.parent / "own-config"
    (own / "palaver").mkdir(parents=True, exist_ok=True)
    (own / "palaver/config.toml").write_text(text)
    return shell.with_env(XDG_CONFIG_HOME=str(own))


def polite(answer: Answer, *, codes: frozenset[int] = CODES) -> Answer:
    """Return the answer, if it is one that any command may give."""
    both = answer.out + answer.err
    assert "Traceback" not in both, answer
    assert "[bug]" not in both, answer
    assert '"code":"bug"' not in both, answer
    assert answer.code in codes, answer
    assert not TRICKS.search(both), (TRICKS.search(both), answer)
    return answer


def _answer(done: "subprocess.CompletedProcess[bytes]", codes: frozenset[int]) -> Answer:
    answer = Answer(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())
    return polite(answer, codes=codes)


def until(happened: Callable[[], object], process: "subprocess.Popen[bytes]") -> None:
    """Wait for something that a running command does; fail if it ends before it has done it."""
    while not happened():
        assert process.poll() is None, process.communicate()
        time.sleep(0.002)


def _hear_interrupts() -> None:
    """Run in the child: whoever started us may have told us to ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def obey_modes() -> None:
    """Run in a child before it becomes the command: let modes of files count, even for root."""
    if os.geteuid() == 0:
        for capability in (DAC_OVERRIDE, DAC_READ_SEARCH):
            assert LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0


def surroundings(**more: str) -> dict[str, str]:
    """Return an environment in which nobody is named and no bus is."""
    ours = ("PALAVER_", "AGENT_ID", "GIT_", "PYTHON")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | more


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """Somebody who stands in a folder and types commands."""

    folder: Path
    env: Mapping[str, str]

    def at(self, folder: Path) -> "Shell":
        return Shell(folder=folder, env=self.env)

    def with_env(self, **more: str) -> "Shell":
        return Shell(folder=self.folder, env={**self.env, **more})

    def without_env(self, *names: str) -> "Shell":
        kept = {name: value for name, value in self.env.items() if name not in names}
        return Shell(folder=self.folder, env=kept)

    def run(
        self,
        *words: str | bytes,
        stdin: bytes = b"",
        before: Callable[[], object] | None = None,
        codes: frozenset[int] = CODES,
    ) -> Answer:
        """Run `palaver` to its end; `before` runs in the process before it becomes the command.

        What is done before concerns Python and not the shell of the launcher.
        """
        if before is None:
            return self.type("palaver", *words, stdin=stdin, codes=codes)
        return _answer(self._execute(PALAVER_PY, *words, stdin=stdin, before=before), codes)

    def type(
        self, program: str, *words: str | bytes, stdin: bytes = b"", codes: frozenset[int] = CODES
    ) -> Answer:
        """Run one of our programs to its end."""
        if not DAEMONS.serve(self.folder, self.env, words):
            done = forked.run([str(BIN / program), *words], cwd=self.folder, env=self.env, stdin=stdin)
            return _answer(done, codes)
        return _answer(self._execute(str(BIN / program), *words, stdin=stdin), codes)

    def _execute(
        self, *command: str | bytes, stdin: bytes, before: Callable[[], object] | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            command,
            cwd=self.folder,
            env=dict(self.env),
            input=stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            preexec_fn=before,
        )

    def start(self, *words: str, stdin: int = subprocess.DEVNULL) -> "subprocess.Popen[bytes]":
        """Start a command and leave it running; whoever starts it ends it."""
        return subprocess.Popen(
            [PALAVER, *words],
            cwd=self.folder,
            env=dict(self.env),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=_hear_interrupts,
        )

    def sh(self, script: str) -> Answer:
        """Run a script of the shell, in which $P is the command."""
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env={**self.env, "P": PALAVER},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        return polite(Answer(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode()))

    def git(self, *words: str) -> str:
        """Run git here; it must succeed."""
        who = ("-c", "user.name=ada", "-c", "user.email=ada@localhost", "-c", "protocol.file.allow=always")
        return subprocess.run(
            ["git", *who, *words],
            cwd=self.folder,
            env=dict(self.env),
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        ).stdout

    def log(self) -> bytes:
        """Return every byte of the log."""
        return b"".join(path.read_bytes() for path in sorted((self.folder / ".palaver/log").iterdir()))
