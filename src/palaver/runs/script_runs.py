"""Runs of `run-agent.sh`, the script that the protocol of bus files comes from: found by their files alone.

    runs/run_20260203-080850-4228/cwd.txt            RUN_ID=…, AGENT=…, CMD=…, PID=…; at the end EXIT_CODE=…
    runs/run_20260203-080850-4228/pid.txt            the process, while it runs
    runs/run_20260203-080850-4228/agent-stdout.txt   what it printed; likewise agent-stderr.txt

The log knows nothing of them, so they are shown and never killed.
"""

import os
import re
from typing import Final

from palaver.files.regular import open_regular
from palaver.log.clock import iso_second
from palaver.model.errors import BadName
from palaver.model.limits import ROWS, RUN_LINE_CHARS, SHOW_BYTES
from palaver.model.masking.masks import clip
from palaver.model.names import name
from palaver.model.secrets import masked
from palaver.runs import process_table
from palaver.views.agents.runs import Run

_NAME: Final = re.compile(r"run_([0-9]{8})-([0-9]{6})-[0-9]+")
OUTPUT: Final = "agent-stdout.txt"
_FIELD: Final = re.compile(r"^([A-Z_]+)=(.*)$", re.M)


def script_runs(folder: str) -> list[tuple[Run, str]]:
    """Return the runs of the script in the folder of all runs, newest first, each with its state."""
    try:
        names = sorted(filter(_NAME.fullmatch, os.listdir(folder)), reverse=True)
    except OSError:
        return []
    found = (_run(each, f"{folder}/{each}") for each in names[:ROWS])
    return [run for run in found if run is not None]


def _run(run: str, folder: str) -> tuple[Run, str] | None:
    """Return a run and its state by its files, None if they do not name its agent."""
    settings, _, written = _end_of(f"{folder}/cwd.txt")
    fields = dict(_FIELD.findall(settings))
    try:
        agent = name(fields.get("AGENT", ""))
    except BadName:
        return None
    output, size, heard = _end_of(f"{folder}/{OUTPUT}")
    code, pid = (fields.get(key, "") for key in ("EXIT_CODE", "PID"))
    ended = written if code.isdecimal() else ""
    process = process_table.find_process(int(pid)) if pid.isdecimal() else None
    is_alive = process is not None and os.path.exists(f"{folder}/pid.txt")
    date, clock = run[4:12], run[13:19]
    at = f"{date[:4]}-{date[4:6]}-{date[6:]}T{clock[:2]}:{clock[2:4]}:{clock[4:]}Z"
    last = clip(output.rstrip("\n").rpartition("\n")[2], RUN_LINE_CHARS)
    known = Run(
        start="", seq=0, run=run, agent=agent, task="", command=masked(fields.get("CMD", "")), by="", host="",
        boot="", pid=int(pid) if pid.isdecimal() else 0, ticks=0, pgid=0, runner=0, runner_ticks=0, at=at,
        bytes=size, line=last, heard=heard, idle="", ended=ended,
        code=int(code) if ended else 0, signal=0, reason="exit" if ended else "",
    )  # fmt: skip
    return known, "ended" if ended else "running" if is_alive else "lost"


def _end_of(path: str) -> tuple[str, int, str]:
    """Return the end of a file, its size, and when it was last written; nothing if it cannot be read."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            found = os.fstat(file.fileno())
            file.seek(max(0, found.st_size - SHOW_BYTES))
            content = file.read(SHOW_BYTES).decode("utf-8", "replace")
            return content, found.st_size, f"{iso_second(int(found.st_mtime))}Z"
    except OSError:
        return "", 0, ""
