"""The trailer: additional fields after a text, where lines have no place for them (office, collab).

    The parser is ready. (palaver re=msg-7eqvl7msm3bp priority=urgent)

Values are percent-encoded; lists and objects are JSON first. A text that already ends like a trailer gets an
empty one, `(palaver)`. Newlines, backslashes and other characters that the dialect names are escaped in the
text, and the trailer says so (`esc=1`). So no text can forge a second line or a field.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote

from palaver.dialects.shared.pieces import Problem
from palaver.dialects.shared.translation import FIELDS, STRUCTURED
from palaver.model.plain import dumps, loads

_TRAILER: Final = re.compile(r" ?\(palaver((?: [a-z]+=[^ ()=]*)*)\)\Z")
_ESCAPES: Final[dict[str, str | int | None]] = {"\n": "\\n", "\r": "\\r", "\\": "\\\\"}
_ESCAPED: Final = re.compile(r"\\(?:x([0-9a-f]{2})|[nr\\])")
_PLAIN: Final = {"\\n": "\n", "\\r": "\r", "\\\\": "\\"}


def with_trailer(text: str, beside: dict[str, object], escape: str = "") -> str:
    """Return one line: the text, escaped if necessary, and the trailer, if there is one.

    `escape` names characters to escape besides newline, carriage return and backslash.
    """
    line = text.translate(str.maketrans(_ESCAPES | {c: f"\\x{ord(c):02x}" for c in escape}))
    pairs = [" esc=1"] if line != text else []
    for name, value in beside.items():
        pairs.append(f" {name}={quote(value if type(value) is str else dumps(value), safe='-_.~/:@,')}")
    if not pairs and not _TRAILER.search(text):
        return text
    return f"{line}{' ' if line else ''}(palaver{''.join(pairs)})"


def split_trailer(line: str) -> tuple[str, dict[str, object], bool]:
    """Return what precedes the trailer, the fields of the trailer, and whether the text is escaped.

    A line without a trailer is all text, and so is a trailer that cannot be decoded.
    """
    match = _TRAILER.search(line) if line.endswith(")") else None
    if match is None:
        return line, {}, False
    fields: dict[str, object] = {}
    try:
        for pair in match[1].split():
            name, _, value = pair.partition("=")
            plain = unquote(value, errors="strict")
            fields[name] = loads(plain) if name in STRUCTURED else plain
    except ValueError:
        return line, {}, False
    is_escaped = bool(fields.pop("esc", None))
    return (line, {}, False) if fields.keys() - FIELDS.keys() else (line[: match.start()], fields, is_escaped)


def without_trailer(line: str) -> tuple[str, dict[str, object]]:
    """Return the plain text and the fields of the trailer."""
    text, fields, is_escaped = split_trailer(line)
    return unescape(text) if is_escaped else text, fields


def bad_trailer(code: str, names: Iterable[str]) -> Problem:
    """Return the problem with fields of a trailer that cannot be used."""
    return Problem(code, f"the trailer's {', '.join(names)} cannot be used", "leave trailers to palaver")


def unescape(text: str) -> str:
    """Return the plain form of an escaped text."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else _PLAIN[found[0]], text)
