"""A terminal in which the commands of a page are typed: one shell, and others in the background."""

import os
import pty
import pwd
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.documents.blocks import Command
from tests.documents.output import PERSON, Reading
from tests.patience import PATIENCE

# Commands that only look: what they look for may still be on its way from the background, so they are typed
# again until they find it.
_READERS: Final = ("tail ", "cat ", "ls ", "curl ", "palaver read ", "palaver inbox ", "palaver runs")
_PAUSE: Final = 0.1
# How a program ends that Ctrl-C stops.
_STOPPED: Final = (0, 130, -signal.SIGINT)


class WrongDocumentError(Exception):
    """A command of a page fails, or prints something else than the page shows."""


@dataclass(slots=True, kw_only=True)
class _Background:
    command: Command
    process: "subprocess.Popen[bytes]"
    output: Path


class Terminal:
    """A shell in a project folder of its own, with an empty home folder."""

    def __init__(self, home: Path, programs: Path) -> None:
        """Start the shell; `programs` comes first in its PATH."""
        self.project = home / "project"
        self.project.mkdir(parents=True)
        self.reading = Reading(project=self.project, known={PERSON: pwd.getpwuid(os.getuid()).pw_name})
        self._background: list[_Background] = []
        self._home = home
        self._environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            # As at a terminal: what is printed first comes first.
            "PYTHONUNBUFFERED": "1",
        }
        # Commands that are typed at a terminal speak as the person, so standard input is one.
        self._keyboard, keys = pty.openpty()
        self._state = home / ".state"
        self._state.write_text("", encoding="utf-8")
        self._keys = keys

    def type(self, command: Command) -> None:
        """Type a command and compare what it prints."""
        code, printed = self._run(command)
        deadline = time.monotonic() + PATIENCE
        while not self._is_right(command, code, printed):
            if not command.typed.startswith(_READERS) or time.monotonic() > deadline:
                raise WrongDocumentError(_difference(command, code, printed))
            time.sleep(_PAUSE)
            code, printed = self._run(command)

    def start(self, command: Command, *, until_ready: bool) -> None:
        """Type a command in another terminal; on request, wait until it has printed what the page shows."""
        output = self._home / f".background{len(self._background)}"
        with output.open("wb") as written:
            process = subprocess.Popen(
                ["bash", "-c", self._state.read_text(encoding="utf-8") + self.reading.real(command.typed)],
                cwd=self.project,
                env=self._environment,
                stdin=self._keys,
                stdout=written,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Whoever started the tests in the background told them to ignore it.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        started = _Background(command=command, process=process, output=output)
        self._background.append(started)
        deadline = time.monotonic() + PATIENCE
        while until_ready and not self._is_right(command, 1, output.read_text(encoding="utf-8")):
            if process.poll() is not None or time.monotonic() > deadline:
                raise WrongDocumentError(self._stopped(started))
            time.sleep(_PAUSE)

    def close(self) -> list[str]:
        """Stop what runs in the background, also the daemon; return what was wrong with it."""
        faults = [fault for each in self._background if (fault := self._stopped(each))]
        if (self.project / ".palaver/start.lock").exists():
            subprocess.run(
                ["palaver", "down"],
                cwd=self.project,
                env=self._environment,
                stdout=subprocess.DEVNULL,
                check=True,
            )
        os.close(self._keyboard)
        os.close(self._keys)
        return faults

    def _stopped(self, started: _Background) -> str:
        process = started.process
        deadline = time.monotonic() + PATIENCE
        # Python does not survive an interrupt of its own start.
        while process.poll() is None and not started.output.stat().st_size and time.monotonic() < deadline:
            time.sleep(_PAUSE)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        code = process.wait(PATIENCE)
        printed = started.output.read_text(encoding="utf-8")
        right = code in _STOPPED
        if right and started.command.printed:
            right = self.reading.matches(started.command.printed, printed)
        return "" if right else _difference(started.command, code, printed)

    def _is_right(self, command: Command, code: int, printed: str) -> bool:
        """Say whether a command did what the page shows: without shown output, it must only succeed."""
        if not command.printed:
            return code == 0
        return self.reading.matches(command.printed, printed)

    def _run(self, command: Command) -> tuple[int, str]:
        """Run a command in the shell of the page: variables, folder and `$?` go on from the one before."""
        script = (
            f"set -a; . {self._state}\n"
            f"{self.reading.real(command.typed)}\n"
            f'_code=$?; {{ declare -px; printf "cd %q\\n(exit %d)\\n" "$PWD" $_code; }} > {self._state}\n'
            f"exit $_code"
        )
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.project,
            env=self._environment,
            stdin=self._keys,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "backslashreplace")


def _difference(command: Command, code: int, printed: str) -> str:
    shown = "\n".join(command.printed) or "(nothing; it must succeed)"
    found = f"--- exit {code}, printed\n{printed}"
    return f"line {command.line}: $ {command.typed}\n--- the page shows\n{shown}\n{found}"
