"""A message into one line of a chat log, or into a file of the inbox.

A tag or prefix of the dialect expresses the act if there is one, otherwise an act tag; the trailer holds what
neither brings back. The line is parsed before it is returned, so nothing can be lost.
"""

from functools import partial
from typing import Final

from palaver.dialects.collab import act_text
from palaver.dialects.collab.grammar import NO_TIME, SYSTEM, USER
from palaver.dialects.collab.layout import is_inbox
from palaver.dialects.collab.parse import parse
from palaver.dialects.collab.parties import THE_SYSTEM, Parties, parties_of
from palaver.dialects.shared.trailer import with_trailer
from palaver.dialects.shared.translation import Writer, read_back, render_complete
from palaver.model.clock_text import wall_clock
from palaver.model.errors import TooLarge
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Mount
from palaver.model.names import BUS, EVERYONE

# Besides newline and backslash. Readers take a NUL for a torn disk page.
_ESCAPED: Final = "\0"
# What only the text can bring back.
_WORDS: Final = frozenset(["act", "task", "body", "meta", "tag"])


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the bytes of a message in a file of the mount."""
    parties = parties_of(mount)
    if is_inbox(path):
        # Whom else it is for is in the log; the inbox is B's.
        message = message.replace(to=[parties.b])
    if message.sender == BUS and message.act == "inform":
        # Its words name the task, and end with a line that the reader may copy.
        message = message.replace(task="")
    head = _head(message, parties, path)
    writers: list[Writer] = [partial(_line, head, text) for text in act_text.write(message, parties)]
    # If no text would be read as one line, all of it goes into the trailer.
    writers.append(lambda beside: _line(head, "", {"body": "", **beside}))
    words = _WORDS - {"act", "task"} if message.act == "inform" else _WORDS
    line = render_complete(message, writers, partial(read_back, parse=parse, mount=mount, path=path), words)
    if line is None:
        raise TooLarge(
            f"cannot write {message.id or 'the message'} to {path}",
            f"its line would be longer than {LINE_BYTES} bytes",
            "put the text in a file and name it",
        )
    return line


def _line(head: str, text: str, beside: dict[str, object]) -> bytes:
    return f"{head}{with_trailer(text, beside, _ESCAPED)}\n".encode()


def _head(message: Message, parties: Parties, path: str) -> str:
    """Return what precedes the text."""
    if is_inbox(path):
        return f"{USER}: " if message.sender == parties.person != parties.dropper else ""
    receivers = ",".join(map(parties.written, message.to)) or parties.written(EVERYONE)
    names = f"{parties.written(message.sender)} -> {receivers}"
    if message.sender == THE_SYSTEM and message.to == [EVERYONE]:
        names = SYSTEM
    elif message.tag == USER and message.sender == parties.person and message.to == [parties.b]:
        names = f"{parties.written(parties.a)} -> {parties.written(parties.b)}: {USER}"
    return f"{wall_clock(message.at, parties.zone) or NO_TIME} {names}: "
