"""The daemon of a project, `palaver up`, as a real process."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.acceptance.project import PALAVER, Project
from tests.patience import PATIENCE

#: Seconds that a test waits for what `palaver up` does not do yet; PATIENCE where the law is kept.
SHORT_WAIT: Final = 3.0


def wait_until(happened: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Wait until something has happened; return False if it has not after `seconds`."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Daemon:
    """A running `palaver up`, whose output is in a log file."""

    def __init__(self, project: Project, *options: str, log: Path | None = None) -> None:
        self.project = project
        self.log = log or project.home / "up.log"
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                [PALAVER, "up", *options],
                cwd=project.folder,
                env=project.env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        if not wait_until(lambda: self._has_ended() or self.is_ready()) or self._has_ended():
            self.stop()
            raise RuntimeError(f"palaver up is not ready: {self.log.read_text()}")

    def is_ready(self) -> bool:
        # It prints its first line as soon as it watches the files.
        return self.log.stat().st_size > 0

    def _has_ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)


@contextmanager
def run_daemon(project: Project) -> Iterator[None]:
    """Keep `palaver up` running, without its dashboard, while something is done."""
    daemon = Daemon(project, "--no-web")
    try:
        yield
    finally:
        daemon.stop()
