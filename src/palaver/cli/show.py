"""Showing text to a person: one function through which everything goes.

Whatever does not print (control characters, escape sequences, marks that turn the direction of writing,
characters without width) is shown by its number, so that no message can move the cursor, hide itself
or pretend to be something else.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""


def safe(text: str) -> str:
    """Return one line of text that does nothing but print."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _number(c) for c in text)


def block(text: str, indent: str = "") -> str:
    """Return a text of several lines that does nothing but print."""
    return "\n".join(indent + safe(line) for line in text.split("\n"))


def clipped(text: str, width: int) -> str:
    """Return one line of at most so many characters."""
    shown = safe(text)
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def _number(c: str) -> str:
    if c == "\t":
        return "    "
    code = ord(c)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
