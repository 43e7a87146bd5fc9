"""A process that has everything loaded and forks writers on demand: a new one in a few milliseconds.

As a program it reads jobs, a line each, and answers each with the writer's process id. When its input
ends, its writers end.
"""

import os
import select
import signal
import subprocess
import sys
from types import TracebackType
from typing import Self

import msgspec

from tests.patience import PATIENCE
from tests.processes import child
from tests.processes.command import environment
from tests.processes.writing import Job, write


class Writer:
    """A writer, from its birth to its end."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        # Not our child, so not ours to wait for; a handle tells of its end all the same.
        self._handle = os.pidfd_open(pid)

    def kill(self) -> None:
        """Kill it, and return only when it is dead."""
        signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        self.join()

    def stop(self) -> None:
        """Stop it, and return only when it stands still."""
        child.stop(self.pid)

    def lives(self) -> bool:
        return not self._ended(0.0)

    def join(self) -> None:
        """Wait for its end."""
        assert self._ended(PATIENCE), f"writer {self.pid} does not end"

    def _ended(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        return bool(poll.poll(seconds * 1_000))

    def __del__(self) -> None:
        os.close(self._handle)


class Nursery:
    """Writers by the dozen; at the end of the `with` they are all dead."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.processes.nursery"],
            cwd=child.REPOSITORY,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=PATIENCE)

    def start(self, job: Job) -> Writer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(job) + b"\n")
        self._process.stdin.flush()
        return Writer(int(self._process.stdout.readline()))


def main() -> None:
    """Fork a writer for each line of standard input; kill what is left when it ends."""
    living: set[int] = set()
    for line in sys.stdin.buffer:
        for pid in list(living):
            if os.waitpid(pid, os.WNOHANG)[0]:
                living.discard(pid)
        job = msgspec.json.decode(line, type=Job)
        pid = os.fork()
        if not pid:
            write(job)
            os._exit(0)
        living.add(pid)
        os.write(1, b"%d\n" % pid)
    for pid in living:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
