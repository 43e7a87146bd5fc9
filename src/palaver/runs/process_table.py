"""The machine's processes: which are alive, which belong together, which are stopped.

A pid is reused some day, so a process is identified by its pid and the moment of its start, within one boot
of the machine.
"""

import os
import signal
from typing import NamedTuple


class ProcessEntry(NamedTuple):
    """One process, as it is now."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    #: The moment of its start, in clock ticks since the boot.
    ticks: int

    @property
    def is_alive(self) -> bool:
        """Return True unless it is a zombie."""
        return self.state not in ("Z", "X", "x")

    @property
    def is_frozen(self) -> bool:
        """Return True if it is stopped."""
        return self.state in ("T", "t")


def host() -> str:
    """Return the name of this machine."""
    return os.uname().nodename


def find_process(pid: int, ticks: int = 0) -> ProcessEntry | None:
    """Return the live process with a pid that was started at that moment; any moment if it is 0."""
    if pid <= 0:
        return None
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
        found = ProcessEntry(pid, words[0], int(words[1]), int(words[2]), int(words[3]), int(words[19]))
    except (OSError, IndexError, ValueError):
        return None
    return found if found.is_alive and ticks in (0, found.ticks) else None


def all_processes() -> list[ProcessEntry]:
    """Return every process that can be seen."""
    found = (find_process(int(each)) for each in os.listdir("/proc") if each.isdecimal())
    return [each for each in found if each is not None]


def session_processes(leader: int) -> list[ProcessEntry]:
    """Return the processes of a session: the group of a program, and those it has put into other groups."""
    return [each for each in all_processes() if leader in (each.session, each.group)]


def run_processes(
    root: str, run: str, agent: str, among: list[ProcessEntry] | None = None
) -> list[ProcessEntry]:
    """Return the processes that were started inside a run, by their environment, wherever they are now."""
    marks = {"PALAVER_ROOT": root, "PALAVER_RUN": run, "PALAVER_AGENT": agent}
    candidates = all_processes() if among is None else among
    return [each for each in candidates if marks.items() <= read_environment(each.pid).items()]


def read_environment(pid: int) -> dict[str, str]:
    """Return the environment that a process was started with; empty if we may not see it."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            pairs = file.read().decode("utf-8", "surrogateescape").split("\0")
    except OSError:
        return {}
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def send_signal(processes: list[ProcessEntry], number: int) -> None:
    """Send a signal to each process that is still there."""
    for each in processes:
        try:
            if find_process(each.pid, each.ticks) is not None:
                os.kill(each.pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def ask_to_end(processes: list[ProcessEntry]) -> None:
    """Send SIGTERM. A stopped process cannot react to that, so it is continued."""
    send_signal(processes, signal.SIGTERM)
    send_signal(processes, signal.SIGCONT)


def can_signal(process: ProcessEntry) -> bool:
    """Return True if we may send signals to a process, or it is gone."""
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True
