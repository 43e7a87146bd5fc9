"""What a program prints, made fit for a log that every agent can read: one short line, without secrets.

The files of a run have every byte as it came. What goes further is the last line, and of that what no family
of keys and tokens matches, and no value of a variable whose name says that it is a secret.
"""

import re
from collections.abc import Mapping

from palaver.model import secrets
from palaver.model.limits import RUN_LINE_CHARS

_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential")
# Shorter values are words, and would take the words out of every line.
_SECRET_CHARS = 8
_ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")


class Mask:
    """What must not be seen of one run."""

    __slots__ = ("_values",)

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Take the variables that the program is given."""
        self._values = sorted(
            {
                value
                for name, value in environment.items()
                if len(value) >= _SECRET_CHARS and _SECRET_NAME.search(name)
            },
            key=len,
            reverse=True,
        )

    def text(self, text: str) -> str:
        """Return a text in which nothing secret is left that we know of."""
        for value in self._values:
            if value in text:
                text = text.replace(value, "[masked]")
        return secrets.masked(text)

    def line(self, raw: bytes) -> str:
        """Return a line of output for the log: masked first, then cut, so that no half of a secret stays."""
        plain = _ESCAPES.sub(b"", raw).decode("utf-8", "replace")
        shown = self.text("".join(c if c.isprintable() else " " for c in plain).strip())
        return shown if len(shown) <= RUN_LINE_CHARS else shown[: RUN_LINE_CHARS - 1] + "…"
