"""The same command lines typed at two equal buses: one has a daemon that runs them, the other starts Python.

A script has one command line a row, as in a shell: `NAME=VALUE` before the command sets a variable, and `<<`
and one word are its standard input. `msg#1` is the first id of a message that was printed. A row that begins
with `!` prepares something: Python runs it at both buses.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.cli.launching import telling_launcher
from tests.cli.spoken import BIN, CODES, Answer, polite, surroundings
from tests.patience import PATIENCE
from tests.processes import forked

_VARIABLE: Final = re.compile(r"[A-Z_]+=.*", re.DOTALL)
_ID: Final = re.compile(r"\b(msg|evt|wo|proc|q)-(?:[a-z2-7]{12}|[a-z2-7]{5,6}|[0-9a-f]{16})\b")
_NAME: Final = re.compile(r"\b(?:msg|evt|wo|proc|q)#\d+")
# What is different in every run: times, ages, processes, ids that were cut off, and fences, which are numbers
# of events: what a program prints early is an event more.
_VARYING: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?"
    r"|\b\d\d-\d\d \d\d:\d\d(?::\d\d)?\b"
    r"|\b\d\d:\d\d:\d\d\.\d{3}\b"
    r"| *\b\d+(?:\.\d+)? ?(?:ms|s|min|h|d)\b"
    r"|\bseconds: +\d+"
    r"|\b(?:process|runner|fence)\W+\d+"
    r"|\b(?:msg|evt|wo|proc)-[a-z2-7]*…"
)
# The daemon uses the id of a request as the key of what it writes, which has the digest of the request, too.
_REQUEST: Final = re.compile(r' *"key": ?"[0-9]{8}[a-z2-7]{12}",\n?(?: *"request": ?"[0-9a-f]{16}",\n?)?')


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """One row of a script."""

    words: list[str]
    program: str = "palaver"
    variables: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    is_preparation: bool = False


def rows(script: str) -> Iterator[Typed]:
    """Yield the command lines of a script."""
    for line in script.split("\n"):
        if not line or line.startswith("#"):
            continue
        words = shlex.split(line.removeprefix("!"))
        count = next(place for place, word in enumerate(words) if not _VARIABLE.fullmatch(word))
        variables = dict(word.split("=", 1) for word in words[:count])
        words, stdin = words[count:], b""
        if "<<" in words:
            stdin = words[-1].encode()
            words = words[: words.index("<<")]
        program = words[0] if words[0] in ("co", "wo") else "palaver"
        yield Typed(
            program=program,
            words=words[1:] if program != "palaver" else words,
            variables=variables,
            stdin=stdin,
            is_preparation=line.startswith("!"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bus:
    """One of the two buses, and the programs that are typed there."""

    folder: Path
    programs: Path
    agent: str = "ada"
    #: The ids that were printed, by their names in a script.
    ids: dict[str, str] = field(default_factory=dict)

    def type(self, typed: Typed) -> "subprocess.CompletedProcess[bytes]":
        """Run a command as the script has it."""
        words = [_NAME.sub(lambda found: self.ids[found[0]], word) for word in typed.words]
        path = f"{self.programs}:{os.environ['PATH']}"
        env = surroundings(**{"PALAVER_AGENT": self.agent, "PATH": path, **typed.variables})
        program = BIN if typed.is_preparation else self.programs
        if program == BIN:
            return forked.run([str(BIN / typed.program), *words], cwd=self.folder, env=env, stdin=typed.stdin)
        return subprocess.run(
            [program / typed.program, *words],
            cwd=self.folder,
            env=env,
            input=typed.stdin,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )

    def answer(self, typed: Typed) -> Answer:
        """Run a command; return what it answers, with the names of the script."""
        done = self.type(typed)
        out, err = self._named(done.stdout.decode()), self._named(done.stderr.decode())
        return polite(Answer(code=done.returncode, out=out, err=err), codes=CODES | {99})

    def _named(self, printed: str) -> str:
        known = {real: name for name, real in self.ids.items()}

        def name(found: re.Match[str]) -> str:
            if found[0] not in known:
                count = sum(each.startswith(found[1]) for each in self.ids)
                known[found[0]] = f"{found[1]}#{count + 1}"
                self.ids[known[found[0]]] = found[0]
            return known[found[0]]

        printed = _ID.sub(name, printed.replace(str(self.folder), "/project"))
        return _VARYING.sub("…", _REQUEST.sub("", printed))


def launchers(folder: Path) -> Path:
    """Make launchers that tell when they would start Python; return their folder."""
    launcher = telling_launcher(folder)
    for name in ("co", "wo"):
        (folder / name).symlink_to(launcher)
    return folder
