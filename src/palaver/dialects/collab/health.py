"""The content of `[DEPIN-HEALTH]` as values, read and written.

    grass=native:up nodepay=ext:up   ⇄   {"grass": {"via": "native", "state": "up"},
                                          "nodepay": {"via": "ext", "state": "up"}}

`via` is how a node runs, `state` is its state. A pair without a colon has only a state.
"""

import re
from typing import Final

#: The key of the values in the `meta` of a message.
META: Final = "health"
_PAIR: Final = re.compile(
    r"(?<!\S)([A-Za-z0-9][A-Za-z0-9_.-]*)=(?:([A-Za-z0-9_.-]+):)?([A-Za-z0-9_.-]+)(?!\S)"
)


def pairs(text: str) -> tuple[tuple[str, str, str], ...]:
    """Return name, via and state of each pair in a text; the first of two with the same name counts."""
    found: dict[str, tuple[str, str, str]] = {}
    for pair in _PAIR.findall(text):
        found.setdefault(pair[0], pair)
    return tuple(found.values())


def nodes(found: tuple[tuple[str, str, str], ...]) -> dict[str, object]:
    """Return pairs as values."""
    return {name: {"via": via, "state": state} if via else {"state": state} for name, via, state in found}


def meta(found: tuple[tuple[str, str, str], ...]) -> dict[str, object]:
    """Return the `meta` of a message with these pairs."""
    return {META: nodes(found)} if found else {}


def write(wanted: object) -> str:
    """Return nodes as a text, or an empty text if it would not be read as the same nodes."""
    if type(wanted) is not dict:
        return ""
    words = [f"{name}={':'.join(map(str, values.values()))}" for name, values in _usable(wanted)]
    text = " ".join(words)
    return text if nodes(pairs(text)) == wanted else ""


def strays(text: str) -> list[str]:
    """Return the words that are not a pair, or repeat a name."""
    wrong: list[str] = []
    seen: set[str] = set()
    for word in text.split():
        match = _PAIR.fullmatch(word)
        if match is None or match[1] in seen:
            wrong.append(word)
        else:
            seen.add(match[1])
    return wrong


def _usable(wanted: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    return [(name, values) for name, values in wanted.items() if type(values) is dict]
