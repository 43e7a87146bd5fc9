"""The trailer: additional fields after a text, where lines have no place for them (office, collab).

    The parser is ready. (palaver re=msg-7eqvl7msm3bp priority=urgent)
    It has 40 tests. (subject: The parser) (files: parser.py, test_parser.py) (palaver subject files)

Subject and files are for readers of the line, too: they are written in words, and the trailer names them. In
values, characters that would end them are percent-encoded; lists and objects are JSON first. A text that
already ends like a trailer gets an empty one, `(palaver)`. Newlines, backslashes and other characters that
the dialect names are escaped in the text, and the trailer says so (`esc=1`). So no text can forge a second
line or a field.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote

from palaver.dialects.shared.pieces import Problem
from palaver.dialects.shared.translation import FIELDS, STRUCTURED
from palaver.model.mounted_files import Provenance
from palaver.model.plain import dumps, loads

_TRAILER: Final = re.compile(r" ?\(palaver((?: [a-z]+(?:=[^ ()=]*)?)*)\)\Z")
#: What is encoded in a value.
_ENCODED: Final = re.compile(r"[^\w.~/:@,;!?#&+*'\"{}\[\]<>$-]")
#: A subject, or paths, that can be written in words: on one line, and with pairs of parentheses at most.
_WORDS: Final = re.compile(r"(?! )(?:[^()\[\]|\\]|\([^()\[\]|\\]*\))+(?<! )")
_SEPARATOR: Final = ", "
_ESCAPES: Final[dict[str, str | int | None]] = {"\n": "\\n", "\r": "\\r", "\\": "\\\\"}
_ESCAPED: Final = re.compile(r"\\(?:x([0-9a-f]{2})|[nr\\])")
_PLAIN: Final = {"\\n": "\n", "\\r": "\r", "\\\\": "\\"}


def with_trailer(text: str, beside: dict[str, object], escape: str = "") -> str:
    """Return one line: the text, escaped if necessary, and the trailer, if there is one.

    `escape` names characters to escape besides newline, carriage return and backslash.
    """
    line = text.translate(str.maketrans(_ESCAPES | {c: f"\\x{ord(c):02x}" for c in escape}))
    pairs = [" esc=1"] if line != text else []
    words = {name: found for name in ("subject", "files") if (found := _in_words(name, beside.get(name)))}
    pairs += [f" {name}" for name in words]
    for name, value in beside.items():
        if name not in words or _from_words(name, words[name]) != value:
            plain = value if type(value) is str else dumps(value)
            pairs.append(f" {name}={_ENCODED.sub(lambda found: quote(found[0], safe=''), plain)}")
    if not pairs and not _TRAILER.search(text):
        return text
    parts = [line] if line else []
    return " ".join(
        [*parts, *(f"({name}: {said})" for name, said in words.items()), f"(palaver{''.join(pairs)})"]
    )


def split_trailer(line: str, provenance: Provenance = Provenance.ALL) -> tuple[str, dict[str, object], bool]:
    """Return what precedes the trailer, the fields of the trailer, and whether the text is escaped.

    A line without a trailer is all text, and so is a trailer that cannot be decoded or is not trusted.
    """
    is_read = provenance is not Provenance.NONE and line.endswith(")")
    match = _TRAILER.search(line) if is_read else None
    if match is None:
        return line, {}, False
    fields: dict[str, object] = {}
    named: list[str] = []
    try:
        for pair in match[1].split():
            name, equals, value = pair.partition("=")
            if not equals:
                named.append(name)
                continue
            plain = unquote(value, errors="strict")
            fields[name] = loads(plain) if name in STRUCTURED else plain
    except ValueError:
        return line, {}, False
    is_escaped = bool(fields.pop("esc", None))
    said = _split_words(line[: match.start()], named)
    if said is None or fields.keys() - FIELDS.keys():
        return line, {}, False
    text, words = said
    return text, words | fields, is_escaped


def _split_words(text: str, named: list[str]) -> tuple[str, dict[str, object]] | None:
    """Return what precedes the fields in words, and these fields; None if they are not there."""
    fields: dict[str, object] = {}
    for name in reversed(named):
        start = text.rfind(f"({name}: ")
        said = text[start + len(name) + 3 : -1]
        if start < 0 or text[-1] != ")" or _in_words(name, _from_words(name, said)) != said:
            return None
        fields[name] = _from_words(name, said)
        text = text[:start].removesuffix(" ")
    return text, fields


def _in_words(name: str, value: object) -> str:
    """Return a field as it can be written in words, or an empty text."""
    if name == "files" and type(value) is list:
        paths = [file.get("path") if type(file) is dict else None for file in value]
        if not all(type(path) is str and path and "," not in path for path in paths):
            return ""
        value = _SEPARATOR.join(map(str, paths))
    is_plain = type(value) is str and value.isprintable() and "(palaver" not in value
    return value if is_plain and type(value) is str and _WORDS.fullmatch(value) else ""


def _from_words(name: str, said: str) -> object:
    return [{"path": path} for path in said.split(_SEPARATOR)] if name == "files" else said


def without_trailer(line: str, provenance: Provenance = Provenance.ALL) -> tuple[str, dict[str, object]]:
    """Return the plain text and the fields of the trailer."""
    text, fields, is_escaped = split_trailer(line, provenance)
    return unescape(text) if is_escaped else text, fields


def bad_trailer(code: str, names: Iterable[str]) -> Problem:
    """Return the problem with fields of a trailer that cannot be used."""
    return Problem(code, f"the trailer's {', '.join(names)} cannot be used", "leave trailers to palaver")


def unescape(text: str) -> str:
    """Return the plain form of an escaped text."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else _PLAIN[found[0]], text)
