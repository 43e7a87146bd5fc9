"""The heartbeat of the daemon, which its watchdog hears."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable

from palaver.daemon import watchdog
from palaver.model.limits import HEARTBEAT_SECONDS


class Heartbeat:
    """Tells the watchdog that the daemon is alive."""

    def __init__(self, folder: str, beat: Callable[[], None]) -> None:
        """Take the folder in which callers wait, and what else is done at each beat."""
        self._folder = folder
        self._beat = beat
        self._ended = threading.Event()
        self._watchdog: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the watchdog, and the heartbeat."""
        self._watchdog = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-I", "-S", watchdog.__file__, self._folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            # Ctrl-Z at the terminal of the daemon stops only the daemon.
            start_new_session=True,
        )
        threading.Thread(target=self._live, daemon=True).start()

    def stop(self) -> None:
        """End the watchdog."""
        self._ended.set()
        if self._watchdog is not None and self._watchdog.stdin is not None:
            self._watchdog.stdin.close()
            self._watchdog.wait()

    def _live(self) -> None:
        """Beat until the end. A watchdog that was killed is not needed to go on."""
        while not self._ended.wait(HEARTBEAT_SECONDS):
            with contextlib.suppress(OSError, ValueError):
                self._tell()
            with contextlib.suppress(FileNotFoundError):
                # We were stopped, and go on.
                os.rename(f"{self._folder}/{watchdog.REQUESTS_OFF}", f"{self._folder}/{watchdog.REQUESTS}")
            with contextlib.suppress(OSError):
                self._beat()

    def _tell(self) -> None:
        if self._watchdog is not None and self._watchdog.stdin is not None:
            self._watchdog.stdin.write(b".")
            self._watchdog.stdin.flush()
