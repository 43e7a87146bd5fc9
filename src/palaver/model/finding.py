"""A finding: what is wrong with a file, and where. A value, never an exception: the line is kept.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.value import Value


class Place(Value):
    """Where in a file: its path, the line (from 1), and the byte (from 0)."""

    __slots__ = ("line", "offset", "path")

    def __init__(self, path: str, line: int, offset: int) -> None:
        """Take the three."""
        self.path = path
        self.line = line
        self.offset = offset


class Finding(Value):
    """Something that a person should know about a line."""

    __slots__ = ("code", "fix", "message", "place")

    def __init__(self, code: str, place: Place, message: str, fix: str) -> None:
        """Take the code, the place, what is wrong in words, and the way out."""
        self.code = code
        self.place = place
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        """One line, as compilers write it."""
        return f"{self.place.path}:{self.place.line}: {self.code} {self.message}; {self.fix}"

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "code": self.code,
            "path": self.place.path,
            "line": self.place.line,
            "offset": self.place.offset,
            "message": self.message,
            "fix": self.fix,
        }
