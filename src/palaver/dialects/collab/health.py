"""What `[DEPIN-HEALTH]` says, as values, both ways.

    grass=native:up nodepay=ext:up   ⇄   {"grass": {"via": "native", "state": "up"},
                                          "nodepay": {"via": "ext", "state": "up"}}

`via` says how a node runs, `state` how it is. A pair without a colon has only a state.
"""

import re
from typing import Final

#: The name under which the values stand in a message's meta.
META: Final = "health"
_PAIR: Final = re.compile(
    r"(?<!\S)([A-Za-z0-9][A-Za-z0-9_.-]*)=(?:([A-Za-z0-9_.-]+):)?([A-Za-z0-9_.-]+)(?!\S)"
)


def read(text: str) -> dict[str, object]:
    """Return the nodes that a text names; of two with one name the first counts."""
    found: dict[str, object] = {}
    for name, via, state in _PAIR.findall(text):
        if name not in found:
            found[name] = {"via": via, "state": state} if via else {"state": state}
    return found


def meta(text: str) -> dict[str, object]:
    """Return what a text adds to the meta of its message."""
    nodes = read(text)
    return {META: nodes} if nodes else {}


def write(nodes: object) -> str:
    """Return the text of nodes; empty where it would not be read back as the same."""
    if type(nodes) is not dict:
        return ""
    words = [f"{name}={':'.join(map(str, values.values()))}" for name, values in _usable(nodes)]
    text = " ".join(words)
    return text if read(text) == nodes else ""


def strays(text: str) -> list[str]:
    """Return the words that are no pair, and those whose name was there before."""
    wrong: list[str] = []
    seen: set[str] = set()
    for word in text.split():
        match = _PAIR.fullmatch(word)
        if match is None or match[1] in seen:
            wrong.append(word)
        else:
            seen.add(match[1])
    return wrong


def _usable(nodes: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    return [(name, values) for name, values in nodes.items() if type(values) is dict]
