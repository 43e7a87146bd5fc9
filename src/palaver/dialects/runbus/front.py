r"""Front matter: keys and values, read by hand. A tag, an anchor or a bomb of YAML is text like any other.

    type: FACT            type:FACT             <tab>type: FACT
    files: a.md, b.md     files: [a.md, b.md]   files:
                                                  - a.md
                                                  - b.md

A space behind the colon is not needed, indentation does not count, and a list may stand on lines of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from palaver.dialects.runbus.grammar import KEY_TWICE, KEYS, ODD_LINE
from palaver.dialects.runbus.notes import Wrong

_LINE: Final = re.compile(r"([ \t]*)([A-Za-z][A-Za-z0-9_-]*)[ \t]*:(.*)", re.S)
_SPACE: Final = " \t"
#: Keys whose values are lists or tables, with lines of their own below.
_STRUCTURED: Final = frozenset(["parents", "links", "meta"])


@dataclass(slots=True)
class Field:
    """One key with its value, as written; lines below the key are joined by newlines."""

    key: str
    value: str
    below: int


def fields(text: str) -> dict[str, Field]:
    """Return the fields of front matter by what they are to us, or by their own key in lower case."""
    found: dict[str, Field] = {}
    for field in _fields(text):
        lowered = field.key.lower()
        name = KEYS.get(lowered, lowered)
        if name in found:
            raise Wrong(KEY_TWICE, f"{field.key} stands twice", "keep one of them", field.below)
        found[name] = field
    return found


def scalar(value: str) -> str:
    """Return a value that is one word or sentence: on one line, and out of its quotes."""
    line = value.replace("\n", " ").strip(_SPACE)
    if len(line) > 1 and line[0] == line[-1] and line[0] in "\"'":
        return line[1:-1]
    return line


def listed(value: str) -> list[str]:
    """Return the items of a list: comma-separated, in brackets or not, or one a line behind a hyphen."""
    if "\n" in value:
        lines = value.split("\n")
        items = [line[2:] if line.startswith("- ") else line for line in lines]
        return [item for item in map(scalar, items) if item]
    if value[:1] == "[" and value[-1:] == "]":
        return [item for item in map(scalar, value[1:-1].split(",")) if item]
    return [item for item in (part.strip(_SPACE) for part in value.split(",")) if item]


def _fields(text: str) -> Iterator[Field]:
    current: Field | None = None
    margin = ""
    for below, line in enumerate(text.split("\n"), start=1):
        said = line.strip(_SPACE)
        if not said:
            continue
        match = _LINE.match(line)
        if current is None and match is not None:
            margin = match[1]
        if current is not None and _continues(line, match, margin, current.key.lower()):
            current.value = f"{current.value}\n{said}"
            continue
        if match is None:
            raise Wrong(ODD_LINE, f"{said[:60]!a} is no key and value", "write it as key: value", below)
        if current is not None:
            yield current
        current = Field(match[2], match[3].strip(_SPACE), below)
    if current is not None:
        yield current


def _continues(line: str, match: re.Match[str] | None, margin: str, key: str) -> bool:
    """Tell whether a line goes on with the value of the key above it."""
    if line.startswith("- "):
        return True
    if line[0] not in _SPACE or (match is not None and match[1] == margin):
        return False
    return match is None or key in _STRUCTURED or match[2].lower() not in KEYS
