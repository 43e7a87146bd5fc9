"""What is wrong with a line, before it is known where the line stands.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.value import Value


class Fault(Value):
    """A code, what is wrong in words, and the way out."""

    __slots__ = ("code", "fix", "message")

    def __init__(self, code: str, message: str, fix: str) -> None:
        """Take the three."""
        self.code = code
        self.message = message
        self.fix = fix
