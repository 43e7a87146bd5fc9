"""The files of a mount: `chat.log` has all messages, and a file in `inbox/` wakes B.

A file of the inbox is one whole message. Its name is the time in nanoseconds; where we write one, the last
digits come from the id of the message, so that the same message always gets the same name.
"""

from collections.abc import Iterable
from typing import Final
from zlib import crc32

from palaver.dialects.collab.grammar import ARROWS, INBOX_FILE, LINE, NANOSECOND_DIGITS, USER
from palaver.dialects.collab.parties import THE_SYSTEM, parties_of
from palaver.model.clock_text import from_epoch, to_epoch
from palaver.model.message import Message
from palaver.model.mounted_files import Growth, Mount, Watched
from palaver.model.names import EVERYONE

CHAT: Final = "chat.log"
INBOX: Final = "inbox"
#: The inbox first: a line of the log that says the same is its echo.
WATCHED: Final = (Watched(INBOX, "*", Growth.DROP), Watched("", CHAT, Growth.LOG))


def files(message: Message, mount: Mount) -> tuple[str, ...]:
    """Return the files of a message: the inbox if it wakes B, and the log if no daemon writes the line."""
    if not _wakes(message, mount):
        return (CHAT,)
    inbox = f"{INBOX}/msg_{_nanoseconds(message)}.txt"
    return (inbox,) if _is_logged_by_daemon(message, mount) else (CHAT, inbox)


def onward(message: Message, mount: Mount, file: str) -> tuple[str, ...]:
    """Return the log, for a file of an inbox that is ours to empty; the inbox, for the person's lines."""
    if is_inbox(file):
        return (CHAT,) if empties_inbox(mount) else ()
    is_by_person = message.sender == parties_of(mount).person and message.tag != USER
    wakes = is_by_person and _wakes(message, mount)
    return (f"{INBOX}/msg_{_nanoseconds(message)}.txt",) if wakes else ()


def _wakes(message: Message, mount: Mount) -> bool:
    """Return True if a message is for B, and B waits for files; messages of the system wake no agent."""
    b = parties_of(mount).b
    is_for_b = b in message.to or EVERYONE in message.to
    return is_for_b and message.sender not in (b, THE_SYSTEM) and not empties_inbox(mount)


def _is_logged_by_daemon(message: Message, mount: Mount) -> bool:
    """Return True if B's daemon writes the line of a file that it takes from the inbox.

    It names A as the sender and itself as the receiver. So by default it has only the lines for which this is
    true, and those of the person, whose text it marks.
    """
    whose = mount.settings.get("chat")
    if whose:
        return whose == "theirs" and parties_of(mount).b in message.to
    parties = parties_of(mount)
    return message.to == [parties.b] and message.sender in (parties.dropper, parties.person)


def empties_inbox(mount: Mount) -> bool:
    """Return True if the bus, not the agent's own watcher, empties the inbox."""
    return mount.settings.get("inbox") == "ours"


def repeated_text(message: Message, line: bytes, mount: Mount, file: str) -> bytes:
    """Return the text of the inbox file that a line of the log may repeat: a message to B."""
    del message
    parties = parties_of(mount)
    head, _, text = line.partition(b": ")
    receiver = head.rpartition(b" ")[2].decode("ascii", "replace")
    is_for_b = parties.words.get(receiver.lower()) == parties.b
    return text if is_for_b and not is_inbox(file) else b""


def residents(mount: Mount, found: Iterable[str]) -> tuple[str, ...]:
    """Return the two agents, the person, and the others that the mount names."""
    del found
    parties = parties_of(mount)
    return (parties.a, parties.b, parties.person, *sorted(parties.others))


def recognises(path: str, content: bytes) -> int:
    """Return how likely a file is collab's, by its name and its first line that is not blank."""
    name = path.rpartition("/")[2]
    if name.startswith("."):
        return 0
    if is_inbox(path):
        return 3 if INBOX_FILE.fullmatch(name) else 1 + name.endswith(".txt")
    first = content.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    line = first[:4096].decode("utf-8", "replace").rstrip("\r")
    if LINE.fullmatch(line):
        return 3 if name == CHAT else 2
    if name == CHAT:
        return 2
    head, colon, _ = line.partition(": ")
    parties = [party.strip() for arrow in ARROWS if arrow in head for party in head.split(arrow)]
    return int(bool(colon) and len(parties) == 2 and all(p.isalnum() and p.isupper() for p in parties))


def is_inbox(path: str) -> bool:
    """Return True if a path is a file of an inbox, by its folder or its name."""
    folder, _, name = path.rpartition("/")
    return folder.rpartition("/")[2] == INBOX or INBOX_FILE.fullmatch(name) is not None


def dropped_at(path: str) -> str:
    """Return when a file was put into the inbox, by its name; empty if the name does not say."""
    match = INBOX_FILE.fullmatch(path.rpartition("/")[2])
    if match is None or len(match[1]) != NANOSECOND_DIGITS:
        return ""
    seconds, milliseconds = match[1][:10], match[1][10:13]
    fraction = "" if milliseconds == "000" else f".{milliseconds}"
    return f"{from_epoch(int(seconds)).removesuffix('Z')}{fraction}Z" if int(seconds) else ""


def _nanoseconds(message: Message) -> str:
    seconds = to_epoch(message.at) or 0
    fraction = message.at.partition(".")[2].rstrip("Zz")
    milliseconds = int(fraction[:3].ljust(3, "0")) if fraction.isdecimal() and fraction.isascii() else 0
    return f"{max(seconds, 0):010}{milliseconds:03}{crc32(message.id.encode()) % 1_000_000:06}"
