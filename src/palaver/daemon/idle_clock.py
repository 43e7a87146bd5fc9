"""The idle clock: how long nobody has used the daemon."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Lock


class IdleClock:
    """Knows when a daemon that nobody uses should end."""

    def __init__(self, seconds: float = inf, is_watched: Callable[[], bool] = lambda: False) -> None:
        """Take how long it may be idle, and whether somebody watches the dashboard."""
        self._seconds = seconds
        self._is_watched = is_watched
        self._last = time.monotonic()
        self._lock = Lock()
        self._users = 0

    @property
    def is_ticking(self) -> bool:
        """Return True if it runs out some day."""
        return self._seconds < inf

    def touch(self) -> None:
        """Note that the bus was used just now."""
        self._last = time.monotonic()

    @contextmanager
    def used(self) -> Iterator[None]:
        """Note that a command runs meanwhile."""
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            self.touch()
            with self._lock:
                self._users -= 1

    def has_run_out(self) -> bool:
        """Return True if nobody has used the daemon for so long, and nobody does now."""
        if self._users or self._is_watched():
            self.touch()
            return False
        return time.monotonic() - self._last >= self._seconds
