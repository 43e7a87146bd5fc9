"""The trailer: additional fields after a text, where lines have no place for them (office, collab).

    The parser is ready. (palaver re=msg-7eqvl7msm3bp priority=urgent)
    It has 40 tests. (subject: The parser) (files: parser.py, test_parser.py) (palaver subject files)
    Check the footer. (palaver from=td reasoning="It is late.")

Subject and files are for readers of the line, too: they are written in words, and the trailer names them.
Texts with spaces are in quotes; lists and objects are JSON. Characters that would end a value are
percent-encoded. The trailer begins at the last `(palaver`, which no value contains. A text that already ends
like a trailer gets an empty one, `(palaver)`. Newlines, backslashes, hidden characters and others
that the dialect names are escaped in the text, and the trailer says so (`esc=1`). So no text can forge a
second line or a field.
"""

import re
import sys
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote

from palaver.dialects.shared.pieces import Problem
from palaver.dialects.shared.translation import FIELDS, STRUCTURED
from palaver.model.mounted_files import Provenance
from palaver.model.plain import dumps, has_hidden, loads, number_of, spelled

_START: Final = "(palaver"
_PAIR: Final = re.compile(r' ([a-z]+)(?:=("[^"]*"|(?!")[^ ()=]*))?')
_TRAILER: Final = re.compile(rf"\(palaver((?:{_PAIR.pattern})*)\)")
#: What is encoded in a value without quotes, and in a quoted one: no value looks like a line of its own.
_ENCODED: Final = re.compile(r"[^\w.~/:@,;!?#&+*'\"{}\[\]<>$-]")
_ENCODED_IN_QUOTES: Final = re.compile(r'["%|\\\[]|(?<=\d)[ T](?=\d)|\((?=palaver)')
#: A subject, or paths, that can be written in words: on one line, and with pairs of parentheses at most.
_WORDS: Final = re.compile(r"(?! )(?:[^()\[\]|\\\t\n]|\([^()\[\]|\\\t\n]*\))+(?<! )")
_SEPARATOR: Final = ", "
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\\": "\\\\"}
_ESCAPED: Final = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|[nr\\])")
_PLAIN: Final = {"\\n": "\n", "\\r": "\r", "\\\\": "\\"}


def with_trailer(text: str, beside: dict[str, object], escape: str = "") -> str:
    """Return one line: the text, escaped if necessary, and the trailer, if there is one.

    `escape` names characters to escape besides newline, backslash and hidden ones.
    """
    # A backslash alone is plain: it is doubled only where another escape could be read.
    needs_escape = any(c in text for c in f"\n{escape}") or has_hidden(text)
    line = spelled(text, _escape, also=f"\n\\{escape}") if needs_escape else text
    pairs = [" esc=1"] if line != text else []
    words = {name: found for name in ("subject", "files") if (found := _in_words(name, beside.get(name)))}
    pairs += [f" {name}" for name in words]
    for name, value in beside.items():
        if name not in words or _from_words(name, words[name]) != value:
            pairs.append(f" {name}={_encode(value)}")
    if not pairs and _find(text) is None:
        return text
    parts = [line] if line else []
    return " ".join(
        [*parts, *(f"({name}: {said})" for name, said in words.items()), f"(palaver{''.join(pairs)})"]
    )


def _escape(c: str) -> str:
    return _ESCAPES.get(c) or number_of(c)


def drop_trailer(content: bytes) -> bytes:
    """Return a line without its trailer, for a reader who needs only the text."""
    line = content.decode().removesuffix("\n")
    match = _find(line)
    return f"{line[: match.start()].removesuffix(' ') if match else line}\n".encode()


def split_trailer(line: str, provenance: Provenance = Provenance.ALL) -> tuple[str, dict[str, object], bool]:
    """Return what precedes the trailer, the fields of the trailer, and whether the text is escaped.

    A line without a trailer is all text, and so is a trailer that cannot be decoded or is not trusted.
    """
    is_read = provenance is not Provenance.NONE and line.endswith(")")
    match = _find(line) if is_read else None
    if match is None:
        return line, {}, False
    fields: dict[str, object] = {}
    named: list[str] = []
    try:
        for pair in _PAIR.finditer(match[1]):
            name, value = pair.groups()
            if value is None:
                named.append(name)
                continue
            plain = unquote(value[1:-1] if value.startswith('"') else value, errors="strict")
            fields[name] = loads(plain) if name in STRUCTURED else plain
    except ValueError:
        return line, {}, False
    is_escaped = bool(fields.pop("esc", None))
    said = _split_words(line[: match.start()].removesuffix(" "), named)
    if said is None or fields.keys() - FIELDS.keys():
        return line, {}, False
    text, words = said
    return text, words | fields, is_escaped


def _find(line: str) -> re.Match[str] | None:
    """Return the trailer at the end of a line."""
    start = line.rfind(_START)
    return _TRAILER.fullmatch(line, start) if start >= 0 else None


def _encode(value: object) -> str:
    """Return a value as it is written in a trailer: one word, or a text in quotes."""
    if type(value) is not str:
        return _ENCODED.sub(_percent, dumps(value))
    is_plain = not has_hidden(value)
    if is_plain and not _ENCODED.search(value) and not value.startswith('"'):
        return value
    said = spelled(_ENCODED_IN_QUOTES.sub(_percent, value), quote, also="\n\t")
    return f'"{said}"'


def _percent(found: re.Match[str]) -> str:
    return f"%{found[0].encode().hex('%')}"


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
    if type(value) is not str or "(palaver" in value or has_hidden(value):
        return ""
    return value if _WORDS.fullmatch(value) else ""


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
    return _ESCAPED.sub(_unescaped, text)


def _unescaped(found: re.Match[str]) -> str:
    code = int(found[1] or found[2] or found[3] or "0", 16)
    return _PLAIN.get(found[0]) or (chr(code) if code <= sys.maxunicode else found[0])
