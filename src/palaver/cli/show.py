"""Text as it may be shown on a terminal.

Characters that do not print (control characters, escape sequences, marks of writing direction, characters
without width) are shown by their numbers, so that no message can move the cursor, hide itself or pretend to
be something else.
"""

from collections.abc import Mapping

from palaver.model.plain import dumps

# Python counts these as printable, but they show nothing: fillers, joiners and variation selectors, in which
# a text could hide another. The selector of coloured emoji (U+FE0F) is allowed.
_HIDDEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
# Spaces of other scripts: Python does not count them as printable, and they are harmless.
_SPACES = {"\t": "    ", "\xa0": "\xa0", "\u202f": "\u202f", "\u3000": "\u3000"}


def safe(text: str) -> str:
    """Return one line of text that only prints."""
    if text.isprintable() and (text.isascii() or _HIDDEN.isdisjoint(text)):
        return text
    return "".join(c if c.isprintable() and c not in _HIDDEN else _number(c) for c in text)


def block(text: str, indent: str = "") -> str:
    """Return a text of several lines that only prints."""
    return "\n".join(indent + safe(line) for line in text.split("\n"))


def clipped(text: str, width: int) -> str:
    """Return one line of at most `width` characters."""
    shown = safe(text)
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def field_lines(values: Mapping[str, object], width: int) -> list[str]:
    """Return one line for each field that has a value: its label, up to `width`, and the value."""
    return [
        f"{label.replace('_', ' ') + ':':<{width}}{safe(str(value))}".rstrip()
        for label, value in values.items()
        if value not in ("", None)
    ]


def short_duration(seconds: float) -> str:
    """Return a duration for a column, in the largest unit that fits."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds)}s"


def json_line(plain: object, encoding: str) -> str:
    """Return a value as one line of JSON that a stream of this encoding can hold."""
    line = dumps(plain)
    if line.isascii():
        return line
    # Characters beyond ASCII occur inside strings only, where JSON has an escape for each.
    if encoding.lower() not in ("utf-8", "utf8"):
        return "".join(c if c.isascii() else _escaped(c) for c in line)
    if _HIDDEN.isdisjoint(line):
        return line
    return "".join(_escaped(c) if c in _HIDDEN else c for c in line)


def _number(c: str) -> str:
    if c in _SPACES:
        return _SPACES[c]
    code = ord(c)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped(c: str) -> str:
    units = c.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
