"""What is wrong with a line, before it is known where the line stands."""

from typing import NamedTuple


class Fault(NamedTuple):
    """A code, what is wrong in words, and the way out."""

    code: str
    message: str
    fix: str
