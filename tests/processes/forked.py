"""Run a command to its end in a forked process, which starts in a fifth of the time of a new one.

For tests of what commands do. How a new process starts is shown by `tests/documents`, by the commands that
`tests/acceptance` judges, and by tests that start a command and leave it running. Nothing here imports the
product.
"""

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE

# What a Python reads before it runs any code of ours. There is a server for each language that commands are
# run in; a command for which another of these is changed is a new process.
_LANGUAGE: Final = ("LANG", "LC_")
_AT_START: Final = (*_LANGUAGE, "LD_", "PYTHON", "TZ")


def run(
    words: Sequence[str | bytes], *, cwd: Path | str, env: Mapping[str, str], stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run an installed script, as `subprocess.run` does."""
    at_start = {name: value for name, value in env.items() if name.startswith(_AT_START)}
    if any(os.environ.get(name) != at_start[name] for name in at_start if not name.startswith(_LANGUAGE)):
        return subprocess.run(
            words, cwd=cwd, env=dict(env), input=stdin, capture_output=True, timeout=PATIENCE, check=False
        )
    what = {"words": [os.fsdecode(each) for each in words], "folder": str(cwd), "environment": dict(env)}
    request, given, out, err = (_file(content) for content in (json.dumps(what).encode(), stdin, b"", b""))
    server = _server(os.getpid(), tuple(sorted(at_start.items())))
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        with ours, theirs:
            socket.send_fds(server, [b"."], [request, given, out, err, theirs.fileno()])
            theirs.close()
            code = _code(ours)
        return subprocess.CompletedProcess(words, code, _content(out), _content(err))
    finally:
        for each in (request, given, out, err):
            os.close(each)


def _code(answers: socket.socket) -> int:
    answers.settimeout(PATIENCE)
    pid = int.from_bytes(answers.recv(4), signed=True)
    assert pid, "the fork server has died"
    try:
        return int.from_bytes(answers.recv(4), signed=True)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        raise


@cache
def _server(_pid: int, at_start: tuple[tuple[str, str], ...]) -> socket.socket:
    """Start a server for this process; it ends when this process does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    program = [sys.executable, "-P", str(Path(__file__).with_name("fork_server.py"))]
    with theirs:
        process = subprocess.Popen(
            program, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, env=dict(at_start)
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def _file(content: bytes) -> int:
    descriptor = os.memfd_create("stream")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _content(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
