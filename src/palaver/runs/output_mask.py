"""A program's output, made fit for a log that every agent can read: one short line without secrets.

The traces of a run hold every byte as it came. The log gets the last line, without anything that looks like a
key or a token, and without the value of any variable whose name says that it is a secret.
"""

import re
from collections.abc import Mapping

from palaver.model.limits import RUN_LINE_CHARS
from palaver.model.masking.masks import masked_after

_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential")
# Shorter values are ordinary words, and would be masked in every line.
_SECRET_CHARS_LEAST = 8
_ESCAPES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")


class OutputMask:
    """The secrets of one run."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Take the environment that the program is given."""
        values = {
            value
            for name, value in environment.items()
            if len(value) >= _SECRET_CHARS_LEAST and _SECRET_NAME.search(name)
        }
        self._values = sorted(values, key=len, reverse=True)

    def mask_text(self, text: str, above: str = "") -> str:
        """Return a text with every known secret masked; one may begin in what is above it."""
        for value in self._values:
            if value in text:
                text = text.replace(value, "[masked]")
        return masked_after(above, text)

    def mask_line(self, raw: bytes, above: bytes = b"") -> str:
        """Return a line of output for the log: masked before it is cut, so that half a secret never stays."""
        plain = _ESCAPES.sub(b"", raw).decode("utf-8", "replace")
        shown = "".join(c if c.isprintable() else " " for c in plain).strip()
        line = self.mask_text(shown, above.decode("utf-8", "replace"))
        return line if len(line) <= RUN_LINE_CHARS else line[: RUN_LINE_CHARS - 1] + "…"
