"""Runs a command of the user's own config: without input and output, for a limited time."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence


def run_limited(
    words: Sequence[str], seconds: float, *, folder: str = ".", environment: Mapping[str, str] | None = None
) -> str:
    """Run a command in a process group of its own, which is killed after so long; return why it failed."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the user wrote it into their own config
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as fault:
        return f"cannot be started: {fault.strerror or fault}"
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"was killed: it took longer than {seconds:g} s"
    return f"ended with {code}" if code else ""
