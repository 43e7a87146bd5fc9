r"""Front matter: keys and values, read without a YAML parser: YAML tags and anchors are plain text.

    type: FACT            type:FACT             <tab>type: FACT
    files: a.md, b.md     files: [a.md, b.md]   files:
                                                  - a.md
                                                  - b.md

A space after the colon is optional, indentation does not matter, and a list may have a line for each item.
"""

import re
from functools import lru_cache
from typing import Final

from palaver.dialects.runbus.grammar import KEYS
from palaver.dialects.shared.pieces import Unreadable
from palaver.model.masking.masks import clip

_LINE: Final = re.compile(r"([ \t]*)([A-Za-z][A-Za-z0-9_-]*)[ \t]*:(.*)", re.S)
#: The usual line: it is not indented, it does not continue another, and its value is not quoted.
_USUAL: Final = re.compile(r"^([A-Za-z][A-Za-z0-9_-]*): ([^ \t\n\"'](?:.*[^ \t\n])?)\n", re.M)
_SPACE: Final = " \t"
#: Keys whose values are lists or tables on the lines below.
_STRUCTURED: Final = frozenset(["parents", "links", "meta"])


#: Keys with one value, which may be quoted.
_SCALARS: Final = frozenset(["id", "type", "agent", "at", "run", "task", "re"])
#: Field → its key and its value as written, but scalars without quotes. Lines below the key are joined by
#: newlines.
Fields = dict[str, tuple[str, str]]


def read_fields(text: str) -> Fields:
    """Return the fields of front matter by their meaning, or by their own key in lower case."""
    usual: list[tuple[str, str]] = _USUAL.findall(text)
    fields = {_field_of(pair[0]): pair for pair in usual}
    if len(fields) == len(usual) == text.count("\n") and text.endswith("\n"):
        return fields
    fields = {}
    for key, value, below in _read_lines(text):
        name = _field_of(key)
        if name in fields:
            raise Unreadable("RUN008", f"it has {key} twice", "keep one of them", below)
        fields[name] = key, scalar(value) if name in _SCALARS else value
    return fields


@lru_cache(maxsize=1_024)
def _field_of(key: str) -> str:
    lowered = key.lower()
    return KEYS.get(lowered, lowered)


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


def _read_lines(text: str) -> list[tuple[str, str, int]]:
    """Return keys and values as written, each with the number of its line."""
    fields: list[tuple[str, str, int]] = []
    margin = ""
    for below, line in enumerate(text.split("\n"), start=1):
        value = line.strip(_SPACE)
        if not value:
            continue
        match = _LINE.match(line)
        if not fields and match is not None:
            margin = match[1]
        if fields and _continues(line, match, margin, fields[-1][0].lower()):
            key, above, number = fields[-1]
            fields[-1] = key, f"{above}\n{value}", number
        elif match is None:
            raise Unreadable(
                "RUN009", f"{clip(value, 60)!a} is not a key and a value", "write key: value", below
            )
        else:
            fields.append((match[2], match[3].strip(_SPACE), below))
    return fields


def _continues(line: str, match: re.Match[str] | None, margin: str, key: str) -> bool:
    """Return True if a line continues the value of the key above it."""
    if line.startswith("- "):
        return True
    if line[0] not in _SPACE or (match is not None and match[1] == margin):
        return False
    return match is None or key in _STRUCTURED or match[2].lower() not in KEYS
