"""Texts and values of agents as others may see them, their secrets named by their families."""

from collections.abc import Sequence

from palaver.model import secrets

# What follows decides, too, whether a secret begins in the part that is shown: a URL has its @ behind it.
_BEYOND = 4_000
_KEY_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
# No line of a key but its last one is shorter.
_KEY_LINE = 16
_KEY_MASKED = f"[{secrets.BLOCK} masked]"


def clip(text: str, most: int) -> str:
    """Return the beginning of a text: masked first and cut then, so that no half of a secret stays."""
    if len(text) > most + _BEYOND:
        text = text[: most + _BEYOND]
    return secrets.masked(text)[:most]


def masked_after(above: str, text: str) -> str:
    """Return a text with its secrets taken out; one may begin in what is above it, as a private key may."""
    parts: list[str] = []
    border = reached = len(above)
    for family, start, end in secrets.spans(above + text):
        if end > border:
            parts += [(above + text)[reached : max(start, border)], f"[{family} masked]"]
            reached = end
    return "".join([*parts, (above + text)[reached:]])


def lines_of_key(lines: Sequence[str]) -> set[int]:
    """Return the places of the texts that are lines of a private key which has several of them."""
    whole, found, start = "\n".join(lines), set[int](), 0
    keys = [(begin, end) for family, begin, end in secrets.spans(whole) if family == secrets.BLOCK]
    for place, line in enumerate(lines):
        end = start + len(line)
        # One that begins and ends in a text is masked there.
        if any(begin < end and start < last and not start <= begin <= last <= end for begin, last in keys):
            found.add(place)
        start = end + 1
    return found


def mask_rest_of_keys(texts: dict[str, str], shown: dict[str, str]) -> dict[str, str]:
    """Return the fields of a message in which a key goes on that begins in another one, as they are then.

    `shown` has them with other secrets masked.
    """
    begun = {name for name, text in texts.items() if _has_open_key(text)}
    return {name: _without_key_lines(shown[name]) for name in texts if begun and name not in begun}


def _has_open_key(text: str) -> bool:
    found = secrets.spans(text) if "BEGIN " in text else []
    return any(family == secrets.BLOCK and "END " not in text[start:end] for family, start, end in found)


def _without_key_lines(text: str) -> str:
    """Return a text without the lines that consist of what keys consist of."""
    found: list[str] = []
    for line in text.split("\n"):
        bare = line.strip(" \t\r>|+#")
        is_within = bool(found) and found[-1] == _KEY_MASKED
        is_body = len(bare) >= (1 if is_within else _KEY_LINE) and _KEY_CHARS.issuperset(bare)
        if is_body or ("END " in bare and "PRIVATE KEY" in bare):
            found += [] if is_within else [_KEY_MASKED]
        else:
            found.append(line)
    return "\n".join(found)
