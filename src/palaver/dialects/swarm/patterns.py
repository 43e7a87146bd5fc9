"""The words of swarm as regular expressions, for texts that may hold them.

Loaded when a text does. Most have none of them, and a command that writes one line waits for its imports.
"""

import re
from typing import Final

#: "task: Claiming, completing, blocking". Phrases that open a `task`; they stay in the body.
PHRASE: Final = re.compile(r"(?:(claimed task)|completed)\b", re.I)

#: "AUTONOMY_UPDATE: programmer → autonomous. Continue without approval for implementation tasks."
UPDATE: Final = re.compile(
    r"AUTONOMY_UPDATE: ?@?([A-Za-z0-9][A-Za-z0-9._/-]*) ?(?:→|->|=>) ?(autonomous|supervised|gated)"
    r"(?:\. ?| |\Z)(.*)\Z",
    re.S,
)

#: "ACK: Claimed task #2." An act about tasks that names none otherwise is about the one its text names.
TASK: Final = re.compile(r"\b[Tt]ask #([A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*)")

#: "@qa ready for test suite." A handle in a text.
MENTION: Final = re.compile(r"(?<![A-Za-z0-9._@/-])@([A-Za-z0-9](?:[A-Za-z0-9_/-]|\.(?=[A-Za-z0-9]))*)")
