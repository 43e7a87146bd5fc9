"""The runs of an agent as a page shows them: how each is, and the end of what it prints."""

import os

from palaver.bus.session import Session
from palaver.model.limits import SHOW_BYTES
from palaver.runs import settings, watching
from palaver.runs.masking import Mask
from palaver.runs.traces import file_name

# Of how many runs the page tells, and of the newest of them what it prints.
_RUNS = 5


def runs_of(core: Session, agent: str) -> list[dict[str, object]]:
    """Return the newest runs of an agent, the newest first, each with the end of its output."""
    found = watching.seen(core, agent=agent, limit=_RUNS)
    return [{**each.plain(), "output": _output(core, each.run.run, agent)} for each in found]


def _output(core: Session, run: str, agent: str) -> str:
    """Return the last lines that a run printed, without secrets; nothing if its traces are gone."""
    path = f"{settings.runs_folder(core.root)}/{run}/agent-logs/{file_name(agent)}.txt"
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
    return Mask({}).text(whole.decode("utf-8", "backslashreplace"))
