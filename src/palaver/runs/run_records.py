"""Records of the runs that this user started on this machine: what is killed must be one of them.

The log says which process a run is, but the log may have come with a repository. So each run leaves a file
in `$XDG_STATE_HOME/palaver/run/` (`~/.local/state` by default), where no project can put one. Its name is a
digest of the bus, the run and its processes: that it exists is the proof. Without it, as where the home
folder cannot be written, the environment of the processes proves it, which the kernel shows.
"""

import contextlib
import os
from hashlib import blake2b
from typing import Final, NamedTuple

from palaver.bus import trust
from palaver.bus.tasks.clock_file import boot_id
from palaver.files.regular import open_regular
from palaver.runs import process_table
from palaver.views.agents.runs import Run

_BYTES: Final = 4_096
_DIGEST_BYTES: Final = 16


class RunProcesses(NamedTuple):
    """The program of a run and its runner, each by its pid and the moment of its start."""

    run: str
    agent: str
    pid: int
    ticks: int
    runner: int
    runner_ticks: int


def keep(bus: str, found: RunProcesses) -> None:
    """Record a run that has started; without the record, its environment proves it."""
    path = _path(bus, found)
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        _sweep(os.path.dirname(path))
        with open(path, "w", encoding="utf-8", opener=open_regular) as file:
            file.write(f"{found.pid} {found.ticks} {found.run} {found.agent} {bus}\n")


def drop(bus: str, found: RunProcesses) -> None:
    """Forget a run whose processes have ended."""
    with contextlib.suppress(OSError):
        os.unlink(_path(bus, found))


def is_ours(bus: str, run: Run) -> bool:
    """Return True if the processes that the log names are those of a run that was started here."""
    found = RunProcesses(run.run, run.agent, run.pid, run.ticks, run.runner, run.runner_ticks)
    return os.path.lexists(_path(bus, found))


def _path(bus: str, found: RunProcesses) -> str:
    words = [os.path.realpath(bus), boot_id(), *map(str, found)]
    name = blake2b("\0".join(words).encode("utf-8", "surrogateescape"), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{trust.state_folder()}/run/{name}"


def _sweep(folder: str) -> None:
    """Remove the records of programs that are gone: a runner that was killed could not."""
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if len(name) == 2 * _DIGEST_BYTES and not _is_living(path):
            with contextlib.suppress(OSError):
                os.unlink(path)


def _is_living(path: str) -> bool:
    """Return True if a process of the session that a record is about is alive."""
    try:
        with open(path, encoding="utf-8", errors="replace", opener=open_regular) as file:
            pid, ticks = file.read(_BYTES).split()[:2]
        leader = process_table.find_process(int(pid))
        if leader is not None and leader.ticks != int(ticks):
            return False
        return bool(process_table.session_processes(int(pid)))
    except (OSError, ValueError):
        return False
