"""The one file of a team: every message is in `channel.jsonl`."""

import re
from collections.abc import Iterable

from palaver.dialects.swarm.grammar import DIRECTOR, FILE, HANDLES
from palaver.model.message import Message
from palaver.model.mounted_files import Growth, Mount, Watched

WATCHED = (Watched("", FILE, Growth.LOG),)
_FIELDS = (b"from", b"type", b"reasoning", b"content")


def director_of(mount: Mount) -> str:
    """Return the agent that leads the team of a mount."""
    return mount.settings.get("director", "").removeprefix("@").lower() or DIRECTOR


def files(message: Message, mount: Mount) -> tuple[str, ...]:
    """Return the file of a message: always the channel."""
    del message, mount
    return (FILE,)


def residents(mount: Mount, found: Iterable[str]) -> tuple[str, ...]:
    """Return the director and the handles of the protocol's table: every team may address them."""
    del found
    return tuple(dict.fromkeys((director_of(mount), *HANDLES)))


def recognises(path: str, head: bytes) -> int:
    """Return how likely a file is a channel: by its name, and by the fields of its first line."""
    called = path.rpartition("/")[2] == FILE
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    seen = sum(bool(re.search(rb'"%s"\s*:' % field, line)) for field in _FIELDS)
    if called:
        return 3 if seen >= 3 else 2
    if seen == len(_FIELDS):
        return 2
    return 1 if seen >= 3 and b'"content"' in line else 0
