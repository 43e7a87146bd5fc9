"""One line of bytes into text, or the reason why it is none."""

from typing import Final

from palaver.dialects.collab.opening import Note
from palaver.model.limits import LINE_BYTES

BOM: Final = b"\xef\xbb\xbf"

_NOT_UTF8: Final = Note("COL001", "the bytes are not UTF-8", "write the file as UTF-8")
_NUL: Final = Note(
    "COL002", "there is a NUL in the line", "write plain text; a torn disk page looks like this"
)
_RETURN: Final = Note("COL003", "a carriage return inside the line", "end lines with a newline")
_TOO_LONG: Final = Note("COL004", f"longer than {LINE_BYTES} bytes", "put the text in a file and name it")


def decoded(raw: bytes) -> str | Note:
    """Return the text of a line without its newline; a carriage return at its end belongs to the newline."""
    if len(raw) > LINE_BYTES:
        return _TOO_LONG
    line = raw.removesuffix(b"\r")
    if b"\r" in line:
        return _RETURN
    return plain(line)


def plain(raw: bytes) -> str | Note:
    """Return bytes as text, whatever its lines are."""
    if len(raw) > LINE_BYTES:
        return _TOO_LONG
    if b"\0" in raw:
        return _NUL
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return _NOT_UTF8
