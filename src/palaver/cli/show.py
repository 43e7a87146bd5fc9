"""Text as it may be shown on a terminal.

Hidden characters (controls, escape sequences, marks of writing direction, characters without width) are shown
by their numbers, so that no message can move the cursor, hide itself or pretend to be something else.
"""

from collections.abc import Mapping

from palaver.model.plain import JOINERS, dumps, has_hidden, number_of, spelled

# What one line of a terminal does not show either: how a joiner is drawn depends on the terminal.
_ALSO = f"\n{JOINERS}"


def safe(text: str) -> str:
    """Return one line of text that only prints."""
    text = text.replace("\t", "    ")
    if not has_hidden(text) and not any(c in text for c in _ALSO):
        return text
    return spelled(text, number_of, also=_ALSO)


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
    if encoding.lower() in ("utf-8", "utf8"):
        return spelled(line, _escaped, also=JOINERS) if any(c in line for c in JOINERS) else line
    # Characters beyond ASCII occur inside strings only, where JSON has an escape for each.
    return "".join(c if c.isascii() else _escaped(c) for c in line)


def _escaped(c: str) -> str:
    units = c.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
