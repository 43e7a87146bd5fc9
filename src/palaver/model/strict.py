"""Strict JSON objects from strangers: one line, one object, no tricks.

msgspec refuses NaN, overflow, lone surrogates, bad UTF-8, comments and trailing bytes by itself, and is
fast. What it lets pass is looked at here: a key that stands twice (two readers would see two messages),
nesting that is deeper than any message needs, and objects with very many keys.
"""

import json
from typing import Final

import msgspec

DEPTH: Final = 64
KEYS: Final = 1_000
_loads: Final = msgspec.json.Decoder(dict[str, object]).decode


class Unreadable(ValueError):
    """Raised when a line is not one JSON object; the text says why."""


def loads_object(line: bytes) -> dict[str, object]:
    """Return the object of a line, or raise `Unreadable`."""
    try:
        fields = _loads(line)
    except UnicodeDecodeError as fault:
        raise Unreadable("it is not UTF-8") from fault
    except (msgspec.DecodeError, RecursionError) as fault:
        raise Unreadable(f"it is not one JSON object ({fault})") from fault
    if (
        len(fields) > KEYS
        or line.count(b"{") + line.count(b"[") > DEPTH
        or quotes_of(line) != _texts(fields) * 2
    ):
        _look_closer(line)
    return fields


def quotes_of(line: bytes) -> int:
    """Count the quotes around texts; where a backslash makes that hard to tell, there are none."""
    if b"\\" not in line:
        return line.count(b'"')
    return -1 if b'\\\\"' in line else line.count(b'"') - line.count(b'\\"')


def _texts(value: object) -> int:
    """Count the texts of a value, keys too; a key that stood twice is counted once, and so it shows."""
    if type(value) is str:
        return 1
    if type(value) is dict:
        return len(value) + sum(map(_texts, value.values()))
    return sum(map(_texts, value)) if type(value) is list else 0


def _look_closer(line: bytes) -> None:
    """Raise if a key stands twice, or it nests too deeply; strings may have looked like either."""
    try:
        deep = json.loads(line, object_pairs_hook=_pairs)
    except RecursionError as fault:
        raise Unreadable(f"it nests deeper than {DEPTH}") from fault
    if _depth(deep) > DEPTH:
        raise Unreadable(f"it nests deeper than {DEPTH}")


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("a key stands twice")
    if len(found) > KEYS:
        raise Unreadable(f"it has more than {KEYS} keys")
    return found


def _depth(value: object) -> int:
    """Return how many containers stand in each other; stop counting when it is too many."""
    depth = 0
    level: list[object] = [value]
    while level and depth <= DEPTH:
        depth += 1
        inside = [inner for outer in level for inner in _inside(outer)]
        level = [inner for inner in inside if isinstance(inner, dict | list)]
    return depth


def _inside(container: object) -> list[object]:
    if isinstance(container, dict):
        return list(container.values())
    return container if isinstance(container, list) else []
