"""The shortcut for lines that have nothing odd about them: the six fields, once each, with names we know.

It gives the message that the careful reader would give, or none at all; then the careful reader decides.
"""

from typing import Final

import msgspec

from palaver.dialects.swarm.desk import Desk
from palaver.dialects.swarm.grammar import ABSENT, BARE
from palaver.dialects.swarm.times import PLAIN
from palaver.dialects.swarm.words import read
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.names import EVERYONE


class _Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The six fields, of their types."""

    ts: str
    sender: str = msgspec.field(name="from")
    to: list[str] | None
    type: str
    reasoning: str
    content: str


#: Types that mean one act whatever the content says, unless it starts with a T.
_PLAIN: Final = {kind: BARE[kind] for kind in ("message", "decision", "request")}
#: The quotes of a line with six keys and five texts. With one more key there are more.
_QUOTES: Final = 22

_decode: Final = msgspec.json.Decoder(_Line).decode
_is_time: Final = PLAIN.fullmatch


def swift(raw: bytes, desk: Desk) -> Message | None:
    """Return the message of a plain line, or None."""
    if len(raw) > LINE_BYTES:
        return None
    try:
        line = _decode(raw)
        sender = desk.senders[line.sender]
        named = line.to
        to = [EVERYONE] if named is None else [desk.handles[handle] for handle in named]
    except (msgspec.MsgspecError, ValueError, RecursionError, KeyError):
        return None
    content = line.content
    first = content[:1]
    # An empty content, and one that may be blank, is for the careful reader; so are keys that stand twice.
    if first <= " " or not _once(raw, named, to) or not _is_time(line.ts):
        return None
    reasoning = line.reasoning
    kind = line.type
    if kind in _PLAIN and first != "[":
        act, tag, task, body = _PLAIN[kind], "", "", content
    elif kind in BARE:
        act, tag, task, body, _, level = read(kind, content, directs=sender == desk.director)
        if level:
            return None
    else:
        return None
    return Message(
        sender=sender,
        to=to,
        body=body,
        act=act,
        reasoning="" if reasoning == ABSENT else reasoning,
        task=task,
        meta={"to": "null"} if named is None else None,
        tag=tag,
        at=line.ts,
    )


def _once(raw: bytes, named: list[str] | None, to: list[str]) -> bool:
    """Tell whether each key and each recipient stands once.

    The decoder takes the last of two equal keys. But it has seen only the six, so a second one shows in the
    number of quotes that are not part of a text.
    """
    quotes = raw.count(b'"')
    if b"\\" in raw:
        if b'\\\\"' in raw:
            return False
        quotes -= raw.count(b'\\"')
    if named is None:
        return quotes == _QUOTES
    return quotes == _QUOTES + 2 * len(named) and (len(to) == 1 or 1 < len(to) == len(set(to)))
