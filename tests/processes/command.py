"""Run `palaver` as a person would: a process of its own, with words and an exit code."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE

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
    done = subprocess.run(
        [*under, PROGRAM, *words],
        input=stdin,
        capture_output=True,
        env=environment(agent, {**where, **(env or {})}),
        cwd=cwd,
        timeout=PATIENCE,
        check=False,
    )
    out, err = (stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)
