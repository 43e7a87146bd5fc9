"""Lines of a file with their places, and a notebook for what is found in them."""

from collections.abc import Iterator

from palaver.model.dialect import Kind, Piece, Source
from palaver.model.finding import Finding, Place
from palaver.model.limits import LINE_BYTES

_BOM = b"\xef\xbb\xbf"


class Wrong(Exception):
    """Raised when a line cannot be kept as what it claims to be."""

    def __init__(self, code: str, why: str, fix: str) -> None:
        """Take the code, the reason and the way out."""
        super().__init__(code, why, fix)
        self.code = code
        self.why = why
        self.fix = fix


class Notebook:
    """The findings of one source."""

    def __init__(self, path: str) -> None:
        """Start empty."""
        self.findings: list[Finding] = []
        self._path = path
        self._line = 1
        self._offset = 0

    def at(self, line: int, offset: int) -> None:
        """Say which line is being read."""
        self._line = line
        self._offset = offset

    def note(self, code: str, message: str, fix: str) -> None:
        """Find something in that line."""
        place = Place(path=self._path, line=self._line, offset=self._offset)
        self.findings.append(Finding(code=code, place=place, message=message, fix=fix))

    def quarantine(self, wrong: Wrong, start: int, length: int) -> Piece:
        """Keep the line whole, with the reason."""
        self.note(wrong.code, wrong.why, wrong.fix)
        return Piece(Kind.QUARANTINED, start, length, self._line, (), wrong.code)


def lines(source: Source) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield (start, length, number, content) of each whole line; what is behind them is `pending`."""
    start, number = source.offset, source.line
    pieces = source.content.split(b"\n")
    last = pieces.pop()
    for raw in pieces:
        yield start, len(raw) + 1, number, _bare(raw, start)
        start += len(raw) + 1
        number += 1
    if last and source.whole:
        yield start, len(last), number, _bare(last, start)


def pending(source: Source) -> Piece | None:
    """Return the tail that is still being written."""
    if source.whole:
        return None
    cut = source.content.rfind(b"\n") + 1
    length = len(source.content) - cut
    if not length:
        return None
    return Piece(Kind.PENDING, source.offset + cut, length, source.line + source.content.count(b"\n"))


def _bare(raw: bytes, start: int) -> bytes:
    bare = raw.strip(b" \t\r")
    return bare if start else bare.removeprefix(_BOM).strip(b" \t\r")


def bounded(content: bytes) -> None:
    """Refuse a line that is longer than a record may be."""
    if len(content) > LINE_BYTES:
        raise Wrong("VER002", f"the line has {len(content)} bytes", f"keep it under {LINE_BYTES}")
