"""Ids as a bus file has them: `MSG-YYYYMMDD-HHMMSS-<agent>-<rand>`.

The id of a message of ours is made from the message alone, so that rendering it again gives the same bytes.
Its random part is that of our own id: `msg-7eqvl7msm3bp` by ada becomes
`MSG-20260222-031544-ada-7eqvl7msm3bp`, so that each of the two leads to the other.
"""

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from palaver.dialects.runbus.entry import read_time
from palaver.dialects.runbus.grammar import ID, NOBODY, PLACEHOLDER_ID
from palaver.model.message import Message
from palaver.model.names import short
from palaver.model.plain import dumps

_WRITABLE: Final = re.compile(r"MSG-[A-Za-z0-9._-]{1,200}")
_RANDOM: Final = re.compile(r"(?:msg-|evt-)?([A-Za-z0-9]{1,64})")
_OURS: Final = "msg-"


def message_id(message: Message) -> str:
    """Return the id of a message in a file."""
    if _WRITABLE.fullmatch(message.id) and message.id != PLACEHOLDER_ID:
        return message.id
    at = read_time(message.at)
    stamp = f"{at[:4]}{at[5:7]}{at[8:10]}-{at[11:13]}{at[14:16]}{at[17:19]}" if at else "00000000-000000"
    agent = short(message.sender).lstrip("@") or NOBODY
    return f"MSG-{stamp}-{agent}-{_random(message)}"


def known_as(written: Iterable[str]) -> frozenset[str]:
    """Return all ids of messages in a file: those written there, and ours."""
    ids = set(written)
    return frozenset(ids | {f"{_OURS}{each.rpartition('-')[2]}" for each in ids if ID.fullmatch(each)})


def _random(message: Message) -> str:
    for own in (message.id, message.event_id):
        if match := _RANDOM.fullmatch(own):
            return match[1]
    said = message.id or dumps([message.sender, message.at, message.act, message.task, message.body])
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
