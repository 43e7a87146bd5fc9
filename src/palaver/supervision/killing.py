"""Ending the program of an agent: SIGTERM to its process group, ten seconds, SIGKILL.

A number of a process means nothing by itself: it may be somebody else's by now. So a group is only touched
if its leader started when the log says, or if one of its members carries the run in its environment.
"""

import os
import signal
import time
from typing import Final

from palaver.bus.watching import boot_id
from palaver.model.limits import TERM_SECONDS
from palaver.supervision.facts import Program

_NAP: Final = 0.05


class Ending:
    """The end of one program: asked for first, then insisted on."""

    __slots__ = ("how", "pgid")

    def __init__(self, program: Program | None) -> None:
        """Ask a program to end, if it is there and the one that is meant."""
        self.pgid = program.pgid if program and _is_meant(program) else 0
        self.how = "SIGTERM" if self.pgid else "gone"
        if self.pgid:
            self._signal(signal.SIGTERM)
            # Who is stopped hears nothing; let it hear this.
            self._signal(signal.SIGCONT)

    def is_over(self) -> bool:
        """Tell whether nobody of the group is left."""
        return not self.pgid or not members(self.pgid)

    def insist(self) -> None:
        """End what is still there."""
        if not self.is_over():
            self.how = "SIGKILL"
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self.pgid, number)
        except (ProcessLookupError, PermissionError):
            return


def end_all(programs: list[Program | None], seconds: float = TERM_SECONDS) -> list[Ending]:
    """End programs, all at once; return how each of them ended."""
    endings = [Ending(program) for program in programs]
    deadline = time.monotonic() + seconds
    while not all(each.is_over() for each in endings) and time.monotonic() < deadline:
        time.sleep(_NAP)
    for each in endings:
        each.insist()
    return endings


def members(pgid: int) -> list[int]:
    """Return the processes of a group that are still alive."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            state, group, _ = _stat(int(name))
            if group == pgid and state not in ("Z", "X", ""):
                found.append(int(name))
    return found


def _is_meant(program: Program) -> bool:
    """Tell whether the group of a program is still that program's, and may be ended."""
    if program.pgid <= 1 or program.pgid == os.getpgrp() or program.boot not in ("", boot_id()):
        return False
    if program.ticks and _stat(program.pid)[2] == program.ticks:
        return _stat(program.pid)[1] == program.pgid
    mark = b"=" + program.run.encode() + b"\0"
    return bool(program.run) and any(
        mark in _content(f"/proc/{pid}/environ") + b"\0" for pid in members(program.pgid)
    )


def _stat(pid: int) -> tuple[str, int, int]:
    """Return state, process group and start of a process; nothings if there is none."""
    # The name of a program may hold anything, but its last bracket is the last one.
    fields = _content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < 20:
        return "", 0, 0
    return fields[0].decode("ascii", "replace"), int(fields[2]), int(fields[19])


def _content(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        pieces = []
        while piece := os.read(fd, 65_536):
            pieces.append(piece)
        return b"".join(pieces)
    except OSError:
        return b""
    finally:
        os.close(fd)
