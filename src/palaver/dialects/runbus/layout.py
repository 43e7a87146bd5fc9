"""The file of a mount, and how one is told from the files of others."""

from typing import Final

from palaver.dialects.runbus.blocks import Blocks
from palaver.dialects.runbus.grammar import GLUED, HEADER_BYTES, MARK, OPENER, OPENER_AT
from palaver.model.message import Message
from palaver.model.mounted_files import Growth, Kind, Mount, Parsed, Watched
from palaver.model.spec import Unfinished, unfinished_line

FILE: Final = "MESSAGE-BUS.md"
#: In the order in which the successor looks for them.
FILES: Final = ("TASK-MESSAGE-BUS.md", "PROJECT-MESSAGE-BUS.md", FILE)
WATCHED: Final = tuple(Watched("", name, Growth.LOG) for name in FILES)


def files(message: Message, mount: Mount) -> tuple[str, ...]:  # noqa: ARG001 - one file for all messages
    """Return the one file: `file` of the mount's settings, if it says so."""
    return (mount.settings.get("file", FILE),)


def recognises(path: str, head: bytes) -> int:
    """Return how likely a file is a bus: by its name, or by the mark or a message in it."""
    if path.rpartition("/")[2] in FILES:
        return 3
    start = head[:HEADER_BYTES]
    return 2 if MARK.search(start) or OPENER.search(start) else 0


def is_closed(parsed: Parsed, content: bytes) -> bool:
    """Return True if the last message of a bus file has its text and its closing line."""
    said = [piece for piece in parsed.pieces if piece.kind is not Kind.BLANK]
    if not said:
        return True
    written = content.rstrip(b"\r\n \t")
    ends = written.endswith(b"\n---")
    if said[-1].kind is not Kind.EVENT:
        # Bytes that cannot be read may be the beginning of a message, unless they have both of its ends.
        return ends and written[-said[-1].length :].count(b"\n---") > 1
    message = said[-1].values[0]
    return isinstance(message, Message) and bool(message.body) and ends


def unfinished(tail: bytes) -> Unfinished | None:
    """Return the last message of a bus file if it has no closing line, or a last line without an end."""
    start = _last_opener(tail)
    if start < 0:
        return unfinished_line(tail)
    block = Blocks(tail, whole=True).block(start)
    assert block is not None, "nothing more comes"
    if not block.closed:
        return Unfinished(tail[start:], b"\n---\n")
    return (
        unfinished_line(tail)
        if block.end < len(tail) or tail.endswith(b"\n")
        else Unfinished(tail[start:], b"\n")
    )


def _last_opener(content: bytes) -> int:
    """Return where the last message begins, or -1."""
    at = len(content)
    while (at := content.rfind(b"---", 0, at)) >= 0:
        begins_line = content[at - 1 : at] in (b"", b"\n")
        if (OPENER_AT if begins_line else GLUED).match(content, at):
            return at
    return -1
