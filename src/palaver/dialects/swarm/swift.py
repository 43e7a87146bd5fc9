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
_BACKSLASH: Final = ord("\\")

_decode: Final = msgspec.json.Decoder(_Line).decode
_is_time: Final = PLAIN.fullmatch


def swift(raw: bytes, desk: Desk) -> Message | None:
    """Return the message of a plain line, or None."""
    try:
        line = _decode(raw)
        sender = desk.senders[line.sender]
        named = line.to
        to = [EVERYONE] if named is None else list(map(desk.handles.__getitem__, named))
    except (msgspec.MsgspecError, ValueError, RecursionError, KeyError):
        return None
    content = line.content
    # The decoder takes the last of two equal keys; but it has seen only the six, so a second one shows in the
    # number of quotes. An empty content, or one that may be blank, is for the careful reader, too.
    quotes = raw.count(b'"') if _BACKSLASH not in raw else _quotes(raw)
    first = content[:1]
    if quotes != _QUOTES + (2 * len(to) if named is not None else 0) or first <= " " or not _is_time(line.ts):
        return None
    kind = line.type
    if kind not in BARE or len(raw) > LINE_BYTES or not _differ(to):
        return None
    if first != "[" and kind in _PLAIN:
        act, tag, task, body, level = _PLAIN[kind], "", "", content, ""
    else:
        act, tag, task, body, _, level = read(kind, content, directs=sender == desk.director)
    if level:
        return None
    reasoning = line.reasoning
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


def _quotes(raw: bytes) -> int:
    """Count the quotes that are not part of a text; where that is hard to tell, there are none."""
    return 0 if b'\\\\"' in raw else raw.count(b'"') - raw.count(b'\\"')


def _differ(to: list[str]) -> bool:
    return len(to) == 1 or 1 < len(to) == len(set(to))
