"""The watchdog of the daemon: lets its callers go if it is stopped.

A process that is stopped (`kill -STOP`, Ctrl-Z, a frozen container) keeps its pipes open. Its callers would
wait forever, because a shell has no clock. The watchdog is a process of its own, which hears the heartbeat of
the daemon on standard input. If that stops, it takes the pipe for new commands away and tells the callers,
who start Python. When the daemon goes on, it puts the pipe back. When the daemon ends, so does its watchdog.

It is started as a file, and imports as little as possible: it is small.
"""

import os
import select
import sys
from contextlib import suppress

REQUESTS = "requests"
REQUESTS_OFF = "requests.off"
# How long the daemon may be silent.
SECONDS = 10.0


def main(folder: str) -> None:
    """Watch until the daemon ends."""
    while True:
        if not select.select([0], [], [], SECONDS)[0]:
            let_go(folder)
        elif not os.read(0, 1024):
            return


def let_go(folder: str) -> None:
    """Take the pipe for new commands away, and tell all callers."""
    # It may be away already.
    with suppress(FileNotFoundError):
        os.rename(f"{folder}/{REQUESTS}", f"{folder}/{REQUESTS_OFF}")
    for name in os.listdir(folder):
        if name.endswith((".reply", ".busy")):
            # Nobody may read it.
            with suppress(OSError), open(f"{folder}/{name}", "wb", buffering=0, opener=_open) as pipe:
                pipe.write(b"gone\n")


def _open(path: str, flags: int) -> int:
    """Open a pipe without waiting for a reader."""
    return os.open(path, flags | os.O_NONBLOCK)


if __name__ == "__main__":
    main(sys.argv[1])
