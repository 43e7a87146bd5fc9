"""The trailer: additional fields after a text, where lines have no place for them (office, collab).

    The parser is ready. (palaver re=msg-7eqvl7msm3bp priority=urgent)

Values are percent-encoded; lists and objects are JSON first. A text that already ends like a trailer gets an
empty one, `(palaver)`. Newlines, backslashes and other characters that the dialect names are escaped in the
text, and the trailer says so (`esc=1`). So no text can forge a second line or a field.
"""

import re
from typing import Final
from urllib.parse import quote, unquote

from palaver.dialects.shared.translation import FIELDS
from palaver.model.plain import dumps, loads

_TRAILER: Final = re.compile(r" ?\(palaver((?: [a-z]+=[^ ()=]*)*)\)\Z")
_STRUCTURED: Final = frozenset(["to", "files", "artifacts", "meta"])
_ESCAPED: Final = "esc"


def with_trailer(text: str, beside: dict[str, object], escape: str = "") -> str:
    """Return one line: the text, escaped if necessary, and the trailer, if there is one.

    `escape` names characters to escape besides newline, carriage return and backslash.
    """
    line = _escape(text, escape)
    pairs = [f"{name}={_value(value)}" for name, value in beside.items()]
    if line != text:
        pairs.insert(0, f"{_ESCAPED}=1")
    if not pairs and not _TRAILER.search(text):
        return text
    gap = " " if line else ""
    return f"{line}{gap}(palaver{''.join(' ' + pair for pair in pairs)})"


def without_trailer(line: str) -> tuple[str, dict[str, object]]:
    """Return the text and the fields of the trailer; a line without a trailer is all text.

    A trailer that cannot be decoded is text as well.
    """
    match = _TRAILER.search(line) if line.endswith(")") else None
    if match is None:
        return line, {}
    try:
        fields = dict(_pair(pair) for pair in match[1].split())
    except ValueError:
        return line, {}
    text = line[: match.start()]
    if fields.pop(_ESCAPED, None):
        text = _unescape(text)
    return text, fields


def _pair(pair: str) -> tuple[str, object]:
    name, _, value = pair.partition("=")
    plain = unquote(value, errors="strict")
    if name != _ESCAPED and name not in FIELDS:
        raise ValueError(name)
    return name, loads(plain) if name in _STRUCTURED else plain


def _value(value: object) -> str:
    return quote(value if isinstance(value, str) else dumps(value), safe="-_.~/:@,")


def _escape(text: str, further: str) -> str:
    if not any(c in text for c in "\n\r\\" + further):
        return text
    out = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    for c in further:
        out = out.replace(c, f"\\x{ord(c):02x}")
    return out


def _unescape(text: str) -> str:
    return re.sub(r"\\(n|r|\\|x[0-9a-f]{2})", _plain, text)


def _plain(match: re.Match[str]) -> str:
    escaped = match[1]
    if escaped[0] == "x":
        return chr(int(escaped[1:], 16))
    return {"n": "\n", "r": "\r", "\\": "\\"}[escaped]
