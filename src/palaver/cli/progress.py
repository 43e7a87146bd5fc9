"""A progress bar on standard error."""

import time
from io import TextIOBase


class ProgressBar:
    """A bar that is drawn on a terminal only, and only if the work takes long."""

    def __init__(self, what: str, total: int, errors: TextIOBase) -> None:
        """Take what is being done, how much there is to do, and standard error."""
        self._what = what
        self._total = max(1, total)
        self._shows = errors.isatty()
        self._errors = errors
        self._since = time.monotonic()
        self._drawn = 0.0

    def at(self, done: int) -> None:
        """Show the progress."""
        now = time.monotonic()
        if not self._shows or now - self._since < 0.5 or now - self._drawn < 0.1:
            return
        self._drawn = now
        share = min(1.0, done / self._total)
        bar = "█" * int(share * 30)
        self._errors.write(f"\r{self._what} {bar:<30} {share:4.0%}")
        self._errors.flush()

    def end(self) -> None:
        """Remove the bar."""
        if self._drawn:
            self._errors.write("\r" + " " * (len(self._what) + 40) + "\r")
            self._errors.flush()
