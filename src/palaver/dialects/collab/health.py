"""What `[DEPIN-HEALTH]` says, as values, both ways.

    grass=native:up nodepay=ext:up   ⇄   {"grass": {"via": "native", "state": "up"},
                                          "nodepay": {"via": "ext", "state": "up"}}

`via` says how a node runs, `state` how it is. A pair without a colon has only a state.
"""

import re
from typing import Final

#: The name under which the values stand in a message's meta.
META: Final = "health"
_PAIR: Final = re.compile(r"([A-Za-z0-9][\w.-]*)=(?:([\w.-]+):)?([\w.-]+)", re.ASCII)


def read(text: str) -> dict[str, object]:
    """Return the nodes that a text names; of two with one name the first counts."""
    found: dict[str, object] = {}
    for word in text.split():
        match = _PAIR.fullmatch(word)
        if match is not None and match[1] not in found:
            found[match[1]] = {"via": match[2], "state": match[3]} if match[2] else {"state": match[3]}
    return found


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
