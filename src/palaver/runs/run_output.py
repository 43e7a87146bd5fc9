"""What runs have printed: the end of it, read from their traces."""

import os
from dataclasses import dataclass

from palaver.bus.operations.fields import AgentName, Rows
from palaver.bus.operations.operation import operation, reads
from palaver.bus.operations.result import PlainFields
from palaver.bus.session import Session
from palaver.files.regular import open_regular
from palaver.model.errors import NotFound
from palaver.model.limits import ROWS_DEFAULT, SHOW_BYTES
from palaver.model.names import name
from palaver.runs import run_config, script_runs, status
from palaver.runs.output_mask import OutputMask
from palaver.runs.status import RunName
from palaver.runs.traces import file_name, run_name

# Runs that a page shows.
_RECENT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutput(PlainFields):
    """The end of what a run has printed."""

    run: str
    path: str
    size: int
    lines: list[str]


@operation(reads)
def run_output(
    session: Session, run: RunName, *, agent: AgentName = "", limit: Rows = ROWS_DEFAULT
) -> RunOutput:
    """Return the last lines that a run has printed, without secrets: its traces have every byte."""
    run, agent = run_name(run), name(agent) if agent else ""
    status.run_parts(session, run, agent=agent)
    path = _path(session, run, agent)
    try:
        content, size = _read_end(path, SHOW_BYTES * limit)
    except OSError as fault:
        why = f"{path}: {fault.strerror or fault}"
        raise NotFound(f"no traces of {run}", why, "they were removed, or are elsewhere") from fault
    lines = _masked(content, size).removesuffix("\n").split("\n")
    return RunOutput(run=run, path=path, size=size, lines=lines[-limit:])


def recent_runs(core: Session, agent: str) -> list[dict[str, object]]:
    """Return the newest runs of an agent for a page, newest first, each with the end of its output."""
    found = status.list_runs(core, agent=agent, limit=_RECENT)
    return [{**each.plain(), "output": _masked_end(core, each.run.run, agent)} for each in found]


def _masked_end(core: Session, run: str, agent: str) -> str:
    """Return the last lines that a run printed, without secrets; empty if its traces are gone."""
    try:
        content, size = _read_end(_path(core, run, agent), SHOW_BYTES)
    except OSError:
        return ""
    return _masked(content, size)


def _masked(content: bytes, size: int) -> str:
    """Return the end of an output of this size without secrets."""
    # A line that is cut at its beginning could hide half of a secret.
    whole = content if size <= len(content) else content.partition(b"\n")[2] or content.partition(b" ")[2]
    return OutputMask({}).mask_text(whole.decode("utf-8", "backslashreplace"))


def _path(core: Session, run: str, agent: str) -> str:
    folder = f"{run_config.runs_folder(core.root)}/{run}"
    if os.path.exists(f"{folder}/{script_runs.OUTPUT}"):
        return f"{folder}/{script_runs.OUTPUT}"
    return f"{folder}/agent-logs/{file_name(agent)}.txt" if agent else f"{folder}/run.log"


def _read_end(path: str, most: int) -> tuple[bytes, int]:
    """Return the end of a file, and the size of all of it."""
    with open(path, "rb", opener=open_regular) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - most))
        return file.read(most), size
