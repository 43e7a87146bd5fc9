"""The file of a mount, and how one is told from the files of others."""

from typing import Final

from palaver.dialects.runbus.grammar import HEADER_BYTES, MARK, OPENER
from palaver.model.dialect import Growth, Mount, Watched
from palaver.model.message import Message

FILE: Final = "MESSAGE-BUS.md"
#: In the order in which the successor looks for them.
FILES: Final = ("TASK-MESSAGE-BUS.md", "PROJECT-MESSAGE-BUS.md", FILE)
WATCHED: Final = tuple(Watched("", name, Growth.LOG) for name in FILES)


def files(message: Message, mount: Mount) -> tuple[str, ...]:  # noqa: ARG001 - one file for all messages
    """Return the one file: `file` of the mount's settings, if it says so."""
    return (mount.settings.get("file", FILE),)


def recognises(path: str, head: bytes) -> int:
    """Tell how surely a file is a bus: by its name, else by the mark or a message in it."""
    if path.rpartition("/")[2] in FILES:
        return 3
    start = head[:HEADER_BYTES]
    return 2 if MARK.search(start) or OPENER.search(start) else 0
