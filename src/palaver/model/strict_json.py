"""JSON objects on which every reader agrees, one per line.

Other programs read the same files. Some take the last of two equal keys, round a large number, or stop at a
depth of their own; two agents would then act on different messages. Such a line is refused.

msgspec is fast and refuses NaN, overflow, lone surrogates and bad UTF-8. It accepts repeated keys, deep
nesting and very many keys, so these are checked here. If it refuses a line, the slower reader of the standard
library finds out why.
"""

import json
from collections.abc import Iterable
from typing import Final

import msgspec

DEPTH: Final = 64
KEYS: Final = 1_000
_decode: Final = msgspec.json.Decoder(dict[str, object]).decode


class NotAnObject(ValueError):
    """Raised when a line is not one JSON object; the text says why."""


class NotUtf8(NotAnObject):
    """Raised when the bytes of a line are not UTF-8."""


class OtherValue(NotAnObject):
    """Raised when a line is a JSON value of another kind."""


class Ambiguous(NotAnObject):
    """Raised when a line is JSON, but readers would disagree about it."""


def loads_object(line: bytes) -> dict[str, object]:
    """Return the object that a line holds, or raise `NotAnObject`."""
    try:
        fields = _decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        _read_slowly(line)
        raise NotAnObject(str(fault)) from fault
    if (
        len(fields) > KEYS
        or line.count(b"{") + line.count(b"[") > DEPTH
        or _quotes(line) != 2 * _count_texts(fields)
    ):
        _read_slowly(line)
    return fields


def split_objects(line: bytes) -> list[bytes]:
    """Return the complete objects that a line holds one after another; none if there is anything else."""
    found: list[bytes] = []
    try:
        text, start = line.decode().strip(), 0
        while start < len(text) and len(found) < KEYS:
            _, end = _SLOW.raw_decode(text, start)
            found.append(text[start:end].encode())
            loads_object(found[-1])
            start = len(text) - len(text[end:].lstrip()) if text[end : end + 1].isspace() else end
    except (ValueError, RecursionError):
        return []
    return found if start == len(text) else []


def begins_with_value(text: str) -> bool:
    """Return True if a text begins with a complete JSON value."""
    try:
        _SLOW.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return True


def _quotes(line: bytes) -> int:
    """Count the quotes around texts; -1 if escapes make that hard to tell."""
    if b"\\" not in line:
        return line.count(b'"')
    return -1 if b'\\\\"' in line else line.count(b'"') - line.count(b'\\"')


def _count_texts(fields: dict[str, object]) -> int:
    """Count the texts in fields, keys included. A repeated key is counted once, which gives it away."""
    count = len(fields)
    containers: list[Iterable[object]] = [fields.values()]
    for values in containers:
        for value in values:
            if type(value) is str:
                count += 1
            elif type(value) is dict:
                count += len(value)
                containers.append(value.values())
            elif type(value) is list:
                containers.append(value)
    return count


def _read_slowly(line: bytes) -> None:
    """Raise if a line is not an object, or readers would disagree about it."""
    try:
        value: object = _SLOW.decode(_text(line))
    except RecursionError as fault:
        raise Ambiguous(f"it is nested deeper than {DEPTH}") from fault
    except json.JSONDecodeError as fault:
        raise NotAnObject(_reason(fault)) from fault
    except NotAnObject:
        raise
    except ValueError as fault:
        raise Ambiguous("it has a number that is too long") from fault
    if type(value) is not dict:
        raise OtherValue(f"it is a {_KINDS[type(value)]}, not an object")
    if nesting(value) > DEPTH:
        raise Ambiguous(f"it is nested deeper than {DEPTH}")
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as fault:
        raise Ambiguous("it has half of a surrogate pair") from fault


def _reason(fault: json.JSONDecodeError) -> str:
    """Return why a text is not JSON, in plain words."""
    if fault.msg == "Extra data":
        return f"something follows the object, from character {fault.pos + 1} on"
    if fault.doc.lstrip()[:1] != "{":
        return "it is not a JSON object"
    if fault.pos >= len(fault.doc.rstrip()) or fault.msg.startswith("Unterminated string"):
        return "it is not complete: it ends in the middle of the object"
    return f"it is not JSON from character {fault.pos + 1} on"


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as fault:
        raise NotUtf8(f"byte {fault.start} is {line[fault.start]:#04x}") from fault


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Ambiguous("it has a key twice")
    if len(found) > KEYS:
        raise Ambiguous(f"it has more than {KEYS} keys")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise Ambiguous(f"it has the number {text[:20]}, which is too large")
    return number


def _refuse(text: str) -> object:
    raise Ambiguous(f"it has {text}, which is not JSON")


def nesting(value: object) -> int:
    """Return how deeply containers are nested, counting no further than one too many."""
    depth = 0
    level = [value] if isinstance(value, dict | list) else []
    while level and depth <= DEPTH:
        depth += 1
        inside = (outer.values() if isinstance(outer, dict) else outer for outer in level)
        level = [inner for each in inside for inner in each if isinstance(inner, dict | list)]
    return depth


_SLOW: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse)
_KINDS: Final = {
    list: "list", str: "string", int: "number", float: "number", bool: "truth value", type(None): "null",
}  # fmt: skip
