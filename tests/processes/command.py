"""Run `palaver` as a person would: a process of its own, with words and an exit code."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE
from tests.processes import forked

PROGRAM: Final = str(Path(sys.executable).with_name("palaver"))


def environment(agent: str = "", more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return our environment without what would tell a command who speaks, or where."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PALAVER_ROOT", "PALAVER_AGENT", "AGENT_ID")
    }
    named = {"PALAVER_AGENT": agent} if agent else {}
    return {**clean, **named, **(more or {})}


def palaver(
    *words: str,
    root: Path | str | None = None,
    agent: str = "",
    stdin: bytes = b"",
    under: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end; `under` is a program to run it under, as strace.

    The output is decoded with surrogates for what is not UTF-8, so that a test sees every byte.
    """
    where = {"PALAVER_ROOT": str(root)} if root else {}
    surroundings = environment(agent, {**where, **(env or {})})
    if under:
        done = subprocess.run(
            [*under, PROGRAM, *words],
            input=stdin,
            capture_output=True,
            env=surroundings,
            cwd=cwd,
            timeout=PATIENCE,
            check=False,
        )
    else:
        done = forked.run([PROGRAM, *words], cwd=cwd or Path.cwd(), env=surroundings, stdin=stdin)
    out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)
