"""What a reader writes down about a file while it reads: findings, each with its place."""

from palaver.model.finding import Finding, Place


class Wrong(Exception):
    """Raised when bytes cannot be a message; they are quarantined with this reason."""

    def __init__(self, code: str, message: str, fix: str, below: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix
        #: Lines below the first one of the piece.
        self.below = below


class Notes:
    """The findings of one file, and the place that is being read."""

    __slots__ = ("findings", "line", "offset", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.line = 1
        self.offset = 0

    def note(self, code: str, message: str, fix: str, below: int = 0) -> None:
        """Write a finding down."""
        place = Place(path=self.path, line=self.line + below, offset=self.offset)
        self.findings.append(Finding(code=code, place=place, message=message, fix=fix))

    def forget(self, count: int) -> None:
        """Keep the first findings only: bytes in quarantine have one reason."""
        del self.findings[count:]
