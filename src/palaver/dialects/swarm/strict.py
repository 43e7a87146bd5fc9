"""JSON on which all readers agree: one object, each key once, plain numbers, whole characters, not too deep.

Other readers take the last of two keys, round a number or stop at a depth of their own; then two agents
would act on different messages. Such a line is kept, but nobody acts on it.
"""

import json
import re
from typing import Final

import msgspec

from palaver.dialects.swarm.fault import Fault
from palaver.dialects.swarm.grammar import SIX
from palaver.model.limits import META_FIELDS
from palaver.model.translation import FIELDS

DEPTH: Final = 64
#: The six, what we write beside them, and what others may.
KEYS: Final = len(SIX) + len(FIELDS) + META_FIELDS

_BACKSLASH: Final = ord("\\")
_decode: Final = msgspec.json.Decoder(dict[str, object]).decode
_ONE_LINE: Final = "write each message as one JSON object on one line, as jq -c does"
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
#: `{`, `}`, `"from": "qa",`: what an object over several lines looks like, line by line.
_PRINTED: Final = re.compile(
    r'\s*(?:[{}\[\]],?|"(?:[^"\\]|\\.)*",?|"[\w.-]+"\s*:\s*(?:[\[{]|.*[^}\s]))\s*', re.S
)
_MARKER: Final = re.compile(r"(?:<{7}|>{7}|\|{7})(?: .*)?|={7}")


class _Ambiguous(ValueError):
    """Raised while reading; it never leaves this module."""


def flat(line: bytes) -> dict[str, object] | None:
    """Return the object of a line that holds texts and lists of texts alone, each key once; or None.

    Most lines do. The decoder takes the last of two equal keys, but then there are more quotes than it saw.
    """
    try:
        value = _decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    quotes = 2 * len(value)
    for each in value.values():
        if type(each) is str:
            quotes += 2
        elif type(each) is list:
            quotes += 2 * len(each)
            if not all(type(part) is str for part in each):
                return None
        elif each is not None:
            return None
    return value if len(value) <= KEYS and quotes == quotes_outside(line) else None


def quotes_outside(line: bytes) -> int:
    """Count the quotes that are not part of a text; where that is hard to tell, there are none."""
    if _BACKSLASH not in line:
        return line.count(b'"')
    return 0 if b'\\\\"' in line else line.count(b'"') - line.count(b'\\"')


def table(text: str) -> dict[str, object] | Fault:
    """Return the object that a line holds, or what is wrong with it."""
    try:
        value: object = _DECODER.decode(text)
    except _Ambiguous as why:
        return _ambiguous(str(why))
    except RecursionError:
        return _ambiguous(f"it is nested deeper than {DEPTH}")
    except json.JSONDecodeError:
        return _no_object(text)
    except ValueError:
        return _ambiguous("it has a number that is too long")
    if type(value) is not dict:
        return Fault("SWA002", f"the line is a {_KINDS[type(value)]}, not an object", _ONE_LINE)
    why_not = _doubt(text, value)
    return _ambiguous(why_not) if why_not else value


def opens_whole(text: str) -> bool:
    """Tell whether a text begins with a whole JSON value."""
    try:
        _DECODER.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return True


def _doubt(text: str, value: dict[str, object]) -> str:
    if len(value) > KEYS:
        return f"it has more than {KEYS} keys"
    if text.count("[") + text.count("{") > DEPTH and _deep(value):
        return f"it is nested deeper than {DEPTH}"
    if _SURROGATE.search(text) and _torn(value):
        return "it has half of a surrogate pair"
    return ""


def _ambiguous(why: str) -> Fault:
    return Fault("SWA006", f"the JSON is not safe: {why}", "write it again with plain values, each key once")


def _no_object(text: str) -> Fault:
    if _MARKER.fullmatch(text):
        return Fault(
            "SWA004", "the line is a conflict marker of git", "merge the file: keep the lines of both"
        )
    if _PRINTED.fullmatch(text):
        return Fault("SWA003", "the line is part of an object printed over several lines", _ONE_LINE)
    return Fault("SWA002", "the line is not one JSON object", _ONE_LINE)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Ambiguous("it has a key twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise _Ambiguous(f"it has the number {text[:20]}, which is too large")
    return number


def _refuse(text: str) -> object:
    raise _Ambiguous(f"it has {text}, which is no JSON")


def _deep(value: object) -> bool:
    waiting = [(value, 1)]
    while waiting:
        each, depth = waiting.pop()
        if depth > DEPTH:
            return True
        inside = each.values() if type(each) is dict else each if type(each) is list else ()
        waiting += [(part, depth + 1) for part in inside if type(part) in (dict, list)]
    return False


def _torn(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_float=_finite, parse_constant=_refuse)
_KINDS: Final = {
    list: "list", str: "string", int: "number", float: "number", bool: "truth value", type(None): "null",
}  # fmt: skip
