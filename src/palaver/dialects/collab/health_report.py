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


def read(text: str) -> dict[str, object]:
    """Return the nodes that a text names; the first of two pairs with the same name counts."""
    found: dict[str, object] = {}
    for name, via, state in _PAIR.findall(text):
        found.setdefault(name, {"via": via, "state": state} if via else {"state": state})
    return found


def write(wanted: object) -> str:
    """Return nodes as a text, or an empty text if it would not be read as the same nodes."""
    if type(wanted) is not dict:
        return ""
    nodes = [(name, values) for name, values in wanted.items() if type(values) is dict]
    text = " ".join(f"{name}={':'.join(map(str, values.values()))}" for name, values in nodes)
    return text if read(text) == wanted else ""


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
