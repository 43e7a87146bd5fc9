"""How much one pass may read.

A pass reads a bounded part of each file, and the next pass continues from there, so that a huge backlog in
one file does not delay the others. A process that is asked to end reads only a little more.
"""

from collections.abc import Callable

from palaver.model.limits import TURN_BYTES

# Opening a small file costs as much as reading this many bytes of a large one.
_OPEN_BYTES = 4_096


class ReadQuota:
    """The quota of one pass."""

    __slots__ = ("_bytes", "_is_ending", "_limit")

    def __init__(self, is_ending: Callable[[], bool], limit: int = TURN_BYTES) -> None:
        """Take whether the process is asked to end, and how many bytes may be read of one file."""
        self._is_ending = is_ending
        self._limit = limit
        self._bytes = 0

    def add(self, count: int) -> None:
        """Count bytes that were read."""
        self._bytes += count

    def add_file(self, count: int) -> None:
        """Count a small file that was read as a whole."""
        self.add(count + _OPEN_BYTES)

    def is_over(self, taken: int = 0) -> bool:
        """Return True if the rest of a file is for the next pass, after reading so many bytes of it."""
        return taken >= self._limit or (self._bytes >= TURN_BYTES and self._is_ending())
