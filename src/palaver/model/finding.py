"""A finding: what is wrong with a file, and where. A value, never an exception: the line is kept."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file: its path, the line (from 1), and the byte (from 0)."""

    path: str
    line: int
    offset: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a person should know about a line."""

    code: str
    place: Place
    #: What is wrong.
    message: str
    #: The way out.
    fix: str

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
