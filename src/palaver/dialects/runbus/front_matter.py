r"""Front matter: keys and values, read without a YAML parser: YAML tags and anchors are plain text.

    type: FACT            type:FACT             <tab>type: FACT
    files: a.md, b.md     files: [a.md, b.md]   files:
                                                  - a.md
                                                  - b.md

A space after the colon is optional, indentation does not matter, and a list may have a line for each item.
"""

import re
from typing import Final, NamedTuple

from palaver.dialects.runbus.grammar import KEY_TWICE, KEYS, ODD_LINE
from palaver.dialects.shared.pieces import Unreadable

_LINE: Final = re.compile(r"([ \t]*)([A-Za-z][A-Za-z0-9_-]*)[ \t]*:(.*)", re.S)
#: A line that neither is indented nor continues another.
_PLAIN: Final = re.compile(r"^([A-Za-z][A-Za-z0-9_-]*):(.*)\n", re.M)
_SPACE: Final = " \t"
#: Keys whose values are lists or tables on the lines below.
_STRUCTURED: Final = frozenset(["parents", "links", "meta"])


class Field(NamedTuple):
    """One key with its value, as written; lines below the key are joined by newlines."""

    key: str
    value: str
    #: The number of its line.
    below: int


def read_fields(text: str) -> dict[str, Field]:
    """Return the fields of front matter by their meaning, or by their own key in lower case."""
    found: dict[str, Field] = {}
    for field in _fields(text):
        lowered = field.key.lower()
        name = KEYS.get(lowered, lowered)
        if name in found:
            raise Unreadable(KEY_TWICE, f"it has {field.key} twice", "keep one of them", field.below)
        found[name] = field
    return found


def scalar(value: str) -> str:
    """Return a value as one line, without its quotes."""
    line = value.replace("\n", " ").strip(_SPACE)
    if len(line) > 1 and line[0] == line[-1] and line[0] in "\"'":
        return line[1:-1]
    return line


def listed(value: str) -> list[str]:
    """Return the items of a list: comma-separated, in brackets or not, or one per line after a hyphen."""
    if "\n" in value:
        lines = value.split("\n")
        items = [line[2:] if line.startswith("- ") else line for line in lines]
        return [item for item in map(scalar, items) if item]
    if value[:1] == "[" and value[-1:] == "]":
        return [item for item in map(scalar, value[1:-1].split(",")) if item]
    return [item for item in (part.strip(_SPACE) for part in value.split(",")) if item]


def _fields(text: str) -> list[Field]:
    plain = _PLAIN.findall(text)
    if len(plain) == text.count("\n") and text.endswith("\n"):
        return [Field(key, value.strip(_SPACE), below) for below, (key, value) in enumerate(plain, start=1)]
    fields: list[Field] = []
    margin = ""
    for below, line in enumerate(text.split("\n"), start=1):
        value = line.strip(_SPACE)
        if not value:
            continue
        match = _LINE.match(line)
        if not fields and match is not None:
            margin = match[1]
        if fields and _continues(line, match, margin, fields[-1].key.lower()):
            last = fields[-1]
            fields[-1] = last._replace(value=f"{last.value}\n{value}")
        elif match is None:
            raise Unreadable(ODD_LINE, f"{value[:60]!a} is not a key and a value", "write key: value", below)
        else:
            fields.append(Field(match[2], match[3].strip(_SPACE), below))
    return fields


def _continues(line: str, match: re.Match[str] | None, margin: str, key: str) -> bool:
    """Return True if a line continues the value of the key above it."""
    if line.startswith("- "):
        return True
    if line[0] not in _SPACE or (match is not None and match[1] == margin):
        return False
    return match is None or key in _STRUCTURED or match[2].lower() not in KEYS
