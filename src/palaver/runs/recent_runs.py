"""The recent runs of an agent, as a page shows them: the status of each, and the end of its output."""

import os

from palaver.bus.session import Session
from palaver.model.limits import SHOW_BYTES
from palaver.runs import run_config, status
from palaver.runs.output_mask import OutputMask
from palaver.runs.traces import file_name

_RUNS = 5


def recent_runs(core: Session, agent: str) -> list[dict[str, object]]:
    """Return the newest runs of an agent, newest first, each with the end of its output."""
    found = status.list_runs(core, agent=agent, limit=_RUNS)
    return [{**each.plain(), "output": _output(core, each.run.run, agent)} for each in found]


def _output(core: Session, run: str, agent: str) -> str:
    """Return the last lines that a run printed, without secrets; empty if its traces are gone."""
    path = f"{run_config.runs_folder(core.root)}/{run}/agent-logs/{file_name(agent)}.txt"
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        size = os.fstat(fd).st_size
        start = max(0, size - SHOW_BYTES)
        content = os.pread(fd, SHOW_BYTES, start)
    except OSError:
        return ""
    finally:
        os.close(fd)
    # A line that is cut at its beginning could hide half of a secret.
    whole = content.partition(b"\n")[2] if start else content
    return OutputMask({}).mask_text(whole.decode("utf-8", "backslashreplace"))
