"""A progress bar on standard error."""

import os
import sys
import time


class ProgressBar:
    """A bar for what takes long: only on a terminal, only when it does take long."""

    def __init__(self, what: str, total: int) -> None:
        """Take what is being done and how much there is to do."""
        self._what = what
        self._total = max(1, total)
        self._shows = os.isatty(2)
        self._since = time.monotonic()
        self._drawn = 0.0

    def at(self, done: int) -> None:
        """Show how far it is."""
        now = time.monotonic()
        if not self._shows or now - self._since < 0.5 or now - self._drawn < 0.1:
            return
        self._drawn = now
        share = min(1.0, done / self._total)
        bar = "█" * int(share * 30)
        sys.stderr.write(f"\r{self._what} {bar:<30} {share:4.0%}")
        sys.stderr.flush()

    def end(self) -> None:
        """Take the bar away."""
        if self._drawn:
            sys.stderr.write("\r" + " " * (len(self._what) + 40) + "\r")
            sys.stderr.flush()
