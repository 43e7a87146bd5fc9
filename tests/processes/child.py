"""Start Python in a process of its own, and never leave one behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE
from tests.processes.command import environment

REPOSITORY: Final = Path(__file__).resolve().parents[2]


def python(code: str, *words: str, under: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python to its end; it may import from `tests`."""
    return subprocess.run(
        [*under, sys.executable, "-c", code, *words],
        cwd=REPOSITORY,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@contextmanager
def started(code: str, *words: str, under: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    """Start a piece of Python with pipes to it; it is killed at the end if it still lives."""
    with subprocess.Popen(
        [*under, sys.executable, "-c", code, *words],
        cwd=REPOSITORY,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def states(pid: int) -> set[str]:
    """Return what the threads of a process are doing, as the kernel's letters; nothing if it is gone."""
    found: set[str] = set()
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            stat = (thread / "stat").read_text(encoding="utf-8", errors="replace")
            found.add(stat.rpartition(")")[2].split()[0])
    except (FileNotFoundError, ProcessLookupError):
        return set()
    return found


def stop(pid: int) -> None:
    """Stop a process, and return only when every thread of it has stopped."""
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + PATIENCE
    while states(pid) - {"T"}:
        assert time.monotonic() < deadline, f"process {pid} does not stop: {states(pid)}"
        time.sleep(0.0005)
