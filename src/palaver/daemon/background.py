"""The daemon in the background: find it, start it, end it.

The daemon holds a lock as long as it lives, and the kernel says which process that is. So there is no file
with a process id, which could outlive the daemon and name another process.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from select import POLLIN, poll
from typing import Final

from palaver.bus import trust
from palaver.bus.root import Root
from palaver.daemon.command_folder import find_requests, has_reader
from palaver.files.regular import open_regular
from palaver.log.clock import iso_second
from palaver.log.lock import Lock, describe
from palaver.model.errors import DaemonFailed
from palaver.model.limits import (
    DAEMON_LOG_BYTES,
    DAEMON_PAUSE_SECONDS,
    DAEMON_SECONDS,
    DAEMON_START_SECONDS,
)

#: What a daemon leaves in its lock; both are equally long.
LASTING: Final = b"lasting  \n"
TEMPORARY: Final = b"temporary\n"
_POLL_SECONDS: Final = 0.02
_LAST_CHARS: Final = 2_000
_NOTE: Final = "palaver: "
# Variables that say who acts, in which run, on which bus: the daemon works for everybody.
_OF_A_CALLER: Final = ("AGENT_ID", "RUN_ID", "RUNS_DIR", "WORK_ORDER_ID")
_OF_THE_USER: Final = (trust.VARIABLE, "PALAVER_DEBUG")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningDaemon:
    """The daemon of a bus: its process, when it started, and whether it ends when it is not used."""

    process: int
    since: str
    is_temporary: bool


def find_daemon(root: Root) -> RunningDaemon | None:
    """Return the daemon that runs for a bus, None if there is none."""
    process = Lock(root.up_lock).holder()
    return read_daemon(root, process) if process else None


def read_daemon(root: Root, process: int) -> RunningDaemon:
    """Return what the daemon that runs in a process has left in its lock."""
    with open(root.up_lock, "rb", opener=open_regular) as file:
        return RunningDaemon(
            process=process,
            since=iso_second(int(os.fstat(file.fileno()).st_mtime)) + "Z",
            is_temporary=file.read() == TEMPORARY,
        )


def is_answering(root: Root) -> bool:
    """Return True if a daemon of this user runs commands for this bus."""
    try:
        return has_reader(find_requests(root.path))
    except (OSError, ValueError):
        return False


def start(root: Root, options: list[str], environment: Mapping[str, str]) -> RunningDaemon:
    """Return the daemon, started if there is none, once it answers; refuse with its last words.

    One that runs and cannot answer is returned too. Of many who start it at once one does, and the others
    wait for the same daemon.
    """
    ours: subprocess.Popen[bytes] | None = None
    deadline = time.monotonic() + DAEMON_SECONDS
    with open(root.start_lock, "wb", opener=open_regular) as lock:
        while time.monotonic() < deadline:
            found = find_daemon(root)
            if found and (is_answering(root) or not _is_starting(found)):
                return found
            if ours is None and not found and _is_taken(lock.fileno()):
                ours = _spawn(root, options, environment, lock.fileno())
            elif ours and ours.poll() is not None and not found:
                break
            time.sleep(_POLL_SECONDS)
    last = _read_log(root)[-_LAST_CHARS:].strip()
    raise DaemonFailed("the daemon did not start", last or "it said nothing", f"look at {root.up_log}")


def problems(root: Root) -> list[str]:
    """Return the problems that the daemon has reported in its log."""
    return [line.removeprefix(_NOTE) for line in _read_log(root).splitlines() if line.startswith(_NOTE)]


def start_unasked(root: Root, options: list[str], environment: Mapping[str, str]) -> None:
    """Start the daemon and do not wait, unless one runs, is being started, or was started a moment ago."""
    with open(root.start_lock, "wb", opener=open_regular) as lock:
        if find_daemon(root) is None and _is_taken(lock.fileno()) and not _is_recent(root.up_log):
            _spawn(root, options, environment, lock.fileno())


def stop(root: Root) -> int:
    """End the daemon and return its process id, 0 if there was none; refuse if it does not end."""
    found = find_daemon(root)
    if found is None:
        return 0
    try:
        handle = os.pidfd_open(found.process)
    except ProcessLookupError:
        return found.process
    try:
        if Lock(root.up_lock).holder() != found.process:
            # It has just ended, and its number may belong to another process by now.
            return found.process
        signal.pidfd_send_signal(handle, signal.SIGTERM)
        # A stopped process cannot react.
        signal.pidfd_send_signal(handle, signal.SIGCONT)
        ended = poll()
        ended.register(handle, POLLIN)
        if not ended.poll(DAEMON_SECONDS * 1_000):
            why = f"{describe(found.process)} was asked to"
            raise DaemonFailed("the daemon does not end", why, f"kill -9 {found.process}")
    except PermissionError as fault:
        why = f"{describe(found.process)} belongs to another user"
        raise DaemonFailed("cannot end the daemon", why, "ask that user") from fault
    except ProcessLookupError:
        return found.process
    finally:
        os.close(handle)
    return found.process


def _read_log(root: Root) -> str:
    """Return what the daemon has printed, empty if it was not started in the background."""
    try:
        with open(root.up_log, "rb", opener=open_regular) as file:
            return file.read(DAEMON_LOG_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _is_starting(found: RunningDaemon) -> bool:
    """Return True if a daemon may not have had the time yet to run commands."""
    return found.since > iso_second(int(time.time() - DAEMON_START_SECONDS)) + "Z"


def _is_recent(log: str) -> bool:
    """Return True if a daemon has logged something in the last minute: it may have failed to start."""
    try:
        return time.time() - os.stat(log).st_mtime < DAEMON_PAUSE_SECONDS
    except FileNotFoundError:
        return False


def _is_taken(lock: int) -> bool:
    try:
        flock(lock, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _spawn(
    root: Root, options: list[str], environment: Mapping[str, str], lock: int
) -> "subprocess.Popen[bytes]":
    """Start the daemon; it inherits the lock, so that no other is started while it lives."""
    log = open_regular(root.up_log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    kept = {name: value for name, value in environment.items() if not _is_of_a_caller(name)}
    if trust.is_recorded(root.path):
        # It is not needed then, and a run has another one than the user: commands of both would not be warm.
        kept.pop(trust.VARIABLE, None)
    try:
        return subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-P", "-m", "palaver", "up", "--root", root.path, *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=kept,
            start_new_session=True,
            pass_fds=(lock,),
        )
    finally:
        os.close(log)


def _is_of_a_caller(variable: str) -> bool:
    is_ours = variable.startswith("PALAVER_") and variable not in _OF_THE_USER
    return is_ours or variable in _OF_A_CALLER
