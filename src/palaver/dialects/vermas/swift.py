"""The short way for a line of mail as most writers write it; anything else takes the long way.

A typed decode checks the shape of a whole line at once. What it cannot see (a key that stands twice)
shows in the number of its quotes. The result is the same as the long way's: a test holds them together.
"""

from functools import lru_cache
from typing import Final, Literal

import msgspec

from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.times import utc
from palaver.model.errors import BadName
from palaver.model.message import Message
from palaver.model.names import address
from palaver.model.strict import quotes_of


class _Mail(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    id: str
    sender: str = msgspec.field(name="from")
    to: str
    subject: str
    body: str
    timestamp: str
    type: str = ""
    priority: Literal["urgent", "normal", "low"] | msgspec.UnsetType = msgspec.UNSET
    metadata: dict[str, str] = {}


# A subject that starts like this may say an act, or nothing at all.
_TELLING: Final = ("[", "🤝", "-")
_decode: Final = msgspec.json.Decoder(_Mail).decode


@lru_cache(maxsize=4096)
def known_address(written: str) -> str:
    """Return an address in its canonical form, nothing if it is none; the same few come again and again."""
    try:
        return address(written)
    except BadName:
        return ""


def swift(content: bytes) -> Message | None:
    """Return the message of a plain line, None if it must be looked at more closely."""
    try:
        mail = _decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    metadata = mail.metadata
    quotes = 24
    act, priority, task = "inform", "normal", ""
    if mail.type:
        quotes += 4
        act = grammar.TYPES.get(mail.type, "")
    if mail.priority is not msgspec.UNSET:
        quotes += 4
        priority = mail.priority
    if metadata:
        quotes += 2 + 4 * len(metadata)
        if grammar.BESIDE in metadata:
            return None
        task = metadata.pop(grammar.WORK_ORDER_ID, "")
    subject = mail.subject
    sender, to, at = known_address(mail.sender), known_address(mail.to), utc(mail.timestamp)
    if (
        quotes_of(content) != quotes
        or subject[:1] in _TELLING
        or not (act and sender and to and at and mail.id)
    ):
        return None
    return Message(
        sender=sender,
        to=[to],
        id=mail.id,
        act=act,
        subject=subject,
        body=mail.body,
        at=at,
        priority=priority,
        task=task,
        meta=metadata,  # type: ignore[arg-type]  # texts are objects too; nobody else holds it
    )
