"""What the machine says of processes: who is alive, who belongs to whom, who is frozen.

A number of a process is used again some day, so a process is known by its number and the moment at which it
was started; and by the boot of the machine, because after the next one all of them are others.
"""

import os
import signal
from typing import NamedTuple


class Process(NamedTuple):
    """One process, as it is now."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    ticks: int

    @property
    def alive(self) -> bool:
        """Tell whether it still does anything; a zombie only waits to be counted."""
        return self.state not in ("Z", "X", "x")

    @property
    def frozen(self) -> bool:
        """Tell whether somebody has stopped it."""
        return self.state in ("T", "t")


def host() -> str:
    """Return the name of this machine."""
    return os.uname().nodename


def process(pid: int, ticks: int = 0) -> Process | None:
    """Return a process if there is one of that number, and it is the one that was started at that moment."""
    if pid <= 0:
        return None
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as said:
            words = said.read().rpartition(")")[2].split()
        found = Process(pid, words[0], int(words[1]), int(words[2]), int(words[3]), int(words[19]))
    except (OSError, IndexError, ValueError):
        return None
    return found if found.alive and ticks in (0, found.ticks) else None


def everybody() -> list[Process]:
    """Return every process that can be seen."""
    found = (process(int(each)) for each in os.listdir("/proc") if each.isdecimal())
    return [each for each in found if each is not None]


def of_session(leader: int) -> list[Process]:
    """Return the processes of a session: the group of a program, and what it has put into other groups."""
    return [each for each in everybody() if leader in (each.session, each.group)]


def environment(pid: int) -> dict[str, str]:
    """Return the environment that a process was started with; empty if it is not ours to see."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as said:
            pairs = said.read().decode("utf-8", "surrogateescape").split("\0")
    except OSError:
        return {}
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def marked(root: str, run: str, agent: str, among: list[Process] | None = None) -> list[Process]:
    """Return the processes that were started inside a run, wherever they have gone since."""
    mine = {"PALAVER_ROOT": root, "PALAVER_RUN": run, "PALAVER_AGENT": agent}
    looked_at = everybody() if among is None else among
    return [each for each in looked_at if mine.items() <= environment(each.pid).items()]


def tell(processes: list[Process], number: int) -> None:
    """Send a signal to each; who is gone meanwhile needs none."""
    for each in processes:
        try:
            if process(each.pid, each.ticks) is not None:
                os.kill(each.pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def is_ours(one: Process) -> bool:
    """Tell whether we may send a process signals; who is gone is nobody's."""
    try:
        os.kill(one.pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def ask_to_end(processes: list[Process]) -> None:
    """Ask processes to end. Who is frozen cannot hear that, so it is thawed."""
    tell(processes, signal.SIGTERM)
    tell(processes, signal.SIGCONT)
