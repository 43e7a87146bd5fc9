"""A program that has imported Palaver, and forks for each command that it is asked to run.

Most of the time of a command is the import of its modules. A fork has them already, and is otherwise a
process of its own: with its memory, folder, environment, streams and exit code. It executes the installed
script that the launcher starts.

Its standard input is a socket. Each packet brings five file descriptors: a file with the request, the three
streams of the command, and a socket for the answers: its process id, then its exit code.
"""

import gc
import json
import os
import pkgutil
import selectors
import socket
import sys
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

import palaver

# No command that runs to its end loads these.
UNUSED: Final = ("palaver.web", "palaver.__main__")
REQUEST_BYTES: Final = 1 << 24


def preload() -> None:
    """Import every module that a command may need."""
    for module in pkgutil.walk_packages(palaver.__path__, "palaver."):
        if not module.name.startswith(UNUSED):
            import_module(module.name)
    # What never changes stays shared by all forks.
    gc.collect()
    gc.freeze()


def become(words: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> NoReturn:
    """Run a command in this process, which was forked for it."""
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(streams) + 1_000)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        # What the launcher does where there is no daemon.
        launcher = Path(words[0])
        program = [launcher.name] if launcher.name in ("co", "wo") else []
        sys.argv = [str(launcher.with_name("palaver-py")), *program, *words[1:]]
        script = Path(sys.argv[0]).read_text(encoding="utf-8")
        exec(compile(script, sys.argv[0], "exec"), {"__name__": "__main__"})  # noqa: S102 - our own script
    finally:
        os._exit(1)


def serve(control: socket.socket) -> None:
    """Run commands until the other side is closed."""
    waited = selectors.DefaultSelector()
    waited.register(control, selectors.EVENT_READ)
    while True:
        for key, _ in waited.select():
            if key.fileobj is not control:
                pid, answers = key.data
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                waited.unregister(key.fileobj)
                os.close(key.fd)
                answers.send(code.to_bytes(4, signed=True))
                answers.close()
                continue
            _, descriptors, _, _ = socket.recv_fds(control, 1, 5)
            if not descriptors:
                return
            request, *streams, answering = descriptors
            what = json.loads(os.pread(request, REQUEST_BYTES, 0))
            pid = os.fork()
            if pid == 0:
                become(**what, streams=streams)
            answers = socket.socket(fileno=answering)
            answers.send(pid.to_bytes(4, signed=True))
            waited.register(os.pidfd_open(pid), selectors.EVENT_READ, (pid, answers))
            for descriptor in (request, *streams):
                os.close(descriptor)


if __name__ == "__main__":
    preload()
    serve(socket.socket(fileno=0))
