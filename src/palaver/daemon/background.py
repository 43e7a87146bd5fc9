"""The daemon in the background: started without a terminal, and ended by its process id."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

from palaver.bus.root import Root
from palaver.daemon.command_socket import daemon_file
from palaver.log.lock import Lock
from palaver.model.errors import DaemonFailed, LogLocked
from palaver.model.limits import DAEMON_SECONDS

_POLL_SECONDS = 0.02
_LAST_BYTES = 2_000


def process_of(root: Root) -> int:
    """Return the process of the daemon, 0 if there is none."""
    return Lock(root.up_lock).holder()


def start(root: Root, options: list[str], environment: Mapping[str, str]) -> int:
    """Start the daemon and return its process id, once it runs commands; refuse with its last words."""
    path = daemon_file(root.path)
    log = os.open(root.up_log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "palaver", "up", "--root", root.path, *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=dict(environment),
            start_new_session=True,
        )
    finally:
        os.close(log)
    deadline = time.monotonic() + DAEMON_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if process_of(root) == process.pid and os.path.exists(path):
            return process.pid
        time.sleep(_POLL_SECONDS)
    with open(root.up_log, "rb") as written:
        last = written.read()[-_LAST_BYTES:].decode("utf-8", "replace").strip()
    raise DaemonFailed("the daemon did not start", last or "it said nothing", f"look at {root.up_log}")


def stop(root: Root) -> int:
    """End the daemon and return its process id, 0 if there was none; refuse if it does not end."""
    process = process_of(root)
    if not process:
        return 0
    try:
        os.kill(process, signal.SIGTERM)
    except ProcessLookupError:
        return process
    lock = Lock(root.up_lock)
    if not lock.acquire(DAEMON_SECONDS):
        raise LogLocked(f"process {process} does not end", "it was asked to", f"kill -9 {process}")
    lock.release()
    return process
