"""The result of a parser while it is being built: pieces that cover the source, and findings with places."""

from collections.abc import Iterable
from typing import NamedTuple

from palaver.model.errors import BadName
from palaver.model.mounted_files import Finding, Kind, Parsed, Piece, Place, Source

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Problem(NamedTuple):
    """Something wrong with a piece: a code, a description, and the way out."""

    code: str
    message: str
    fix: str
    #: Lines below the first line of the piece.
    below: int = 0


class Unreadable(Exception):
    """Raised when bytes cannot be read as a message; they are quarantined for this problem."""

    def __init__(self, code: str, message: str, fix: str, below: int = 0) -> None:
        """Take the parts of the problem."""
        super().__init__(message)
        self.problem = Problem(code, message, fix, below)

    @classmethod
    def because_of_name(cls, code: str, fault: BadName) -> "Unreadable":
        """Return why bytes cannot be read that contain a bad name."""
        return cls(code, f"{fault.what}: {fault.why}", fault.way_out)


def decode(raw: bytes, *, not_utf8: str, nul: str) -> str:
    """Return bytes as text, or raise `Unreadable` with one of these codes."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as fault:
        message = f"byte {fault.start} of it is not UTF-8"
        raise Unreadable(not_utf8, message, "save the file as UTF-8") from fault
    if "\0" in text:
        raise Unreadable(nul, "it contains a NUL byte", "write plain text; a torn disk page looks like this")
    return text


class PieceBuilder:
    """Pieces laid end to end from the start of a source, so that they cover every byte of it."""

    __slots__ = ("_content", "_findings", "_line", "_offset", "_path", "_pieces", "end")

    def __init__(self, source: Source) -> None:
        """Start at the beginning of a source."""
        self._content = source.content
        self._offset = source.offset
        self._path = source.path
        self._line = source.line
        self._pieces: list[Piece] = []
        self._findings: list[Finding] = []
        #: Where the last piece ends and the next one starts, in the content.
        self.end = 0

    def add(
        self,
        kind: Kind,
        end: int,
        values: tuple[object, ...] = (),
        problems: Iterable[Problem] = (),
        reason: str = "",
    ) -> int:
        """Add the piece that ends here, with what is odd about it; return the end."""
        start = self.end
        for code, message, fix, below in problems:
            place = Place(path=self._path, line=self._line + below, offset=self._offset + start)
            self._findings.append(Finding(code=code, place=place, message=message, fix=fix))
        self._pieces.append(Piece(kind, self._offset + start, end - start, self._line, values, reason))
        self._line += self._content.count(b"\n", start, end)
        self.end = end
        return end

    def quarantine(self, end: int, problem: Problem) -> int:
        """Add a piece that cannot be read; nothing but the reason is reported about it."""
        return self.add(Kind.QUARANTINED, end, (), (problem,), problem.code)

    def parsed(self) -> Parsed:
        """Return what was added."""
        return Parsed(tuple(self._pieces), tuple(self._findings))
