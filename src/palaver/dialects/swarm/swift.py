"""The shortcut for lines that have nothing odd about them.

They have the six fields, perhaps some texts beside them, each once, and names that were checked before. It
gives the message that the careful reader would give, or none at all; then the careful reader decides.
"""

from typing import Final

import msgspec

from palaver.dialects.swarm.desk import Desk
from palaver.dialects.swarm.grammar import ABSENT, BARE
from palaver.dialects.swarm.strict import quotes_outside
from palaver.dialects.swarm.times import PLAIN
from palaver.dialects.swarm.words import read
from palaver.model.limits import LINE_BYTES
from palaver.model.message import PRIORITIES, Message


class _Line(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The six fields, and the texts that may stand beside them."""

    ts: str
    sender: str = msgspec.field(name="from")
    to: tuple[str, ...] | None
    type: str
    reasoning: str
    content: str
    task: str | None = None
    subject: str | None = None
    priority: str | None = None
    re: str | None = None
    run: str | None = None
    tag: str | None = None


#: Types that mean one act whatever the content says, unless it starts with a T.
_PLAIN: Final = {kind: BARE[kind] for kind in ("message", "decision", "request")}
#: The quotes of a line with six keys and five texts; a recipient has two more, a text beside them four.
_QUOTES: Final = 22

_decode: Final = msgspec.json.Decoder(_Line).decode
_is_time: Final = PLAIN.fullmatch
_new: Final = Message.__new__


def swift(raw: bytes, desk: Desk) -> Message | None:
    """Return the message of a plain line, or None."""
    try:
        line = _decode(raw)
        sender = desk.senders[line.sender]
        named = line.to
        to = desk.routes[named]
    except (msgspec.MsgspecError, ValueError, RecursionError, KeyError):
        return None
    # The decoder takes the last of two equal keys; but it knows all that may be there, so a second one shows
    # in the number of quotes. A content that is empty, or may be blank, is for the careful reader, too.
    quotes = _QUOTES if named is None else _QUOTES + 2 * len(named)
    more = quotes_outside(raw) - quotes
    content, kind = line.content, line.type
    first = content[:1]
    if (more and not _fits(line, more)) or first <= " " or kind not in BARE:
        return None
    if first != "[" and kind in _PLAIN:
        act, tag, task, body, level = _PLAIN[kind], "", "", content, ""
    else:
        act, tag, task, body, _, level = read(kind, content, directs=sender == desk.director)
    if level or not _is_time(line.ts) or len(raw) > LINE_BYTES:
        return None
    reasoning = line.reasoning
    # Not by the constructor: to hand it so many arguments takes as long as all that was done so far.
    message = _new(Message)
    message.sender, message.to, message.at = sender, to.copy(), line.ts
    message.act, message.tag, message.task, message.body = act, tag, task, body
    message.reasoning = "" if reasoning == ABSENT else reasoning
    message.meta = {"to": "null"} if named is None else {}
    message.files, message.artifacts, message.priority, message.auth = [], [], "normal", "claimed"
    message.id = message.subject = message.run = message.reply_to = message.thread = message.event_id = ""
    message.hops = message.seq = 0
    message.undeliverable = message.redacted = False
    if more:
        _put(message, line)
    return message


def _fits(line: _Line, quotes: int) -> bool:
    """Tell whether texts beside the six account for so many quotes, and are such as we would write."""
    texts = (line.task, line.subject, line.priority, line.re, line.run, line.tag)
    return quotes == 4 * (len(texts) - texts.count(None)) and line.priority in (None, *PRIORITIES)


def _put(message: Message, line: _Line) -> None:
    if line.task is not None:
        message.task = line.task
    if line.subject is not None:
        message.subject = line.subject
    if line.priority is not None:
        message.priority = line.priority
    if line.re is not None:
        message.reply_to = line.re
    if line.run is not None:
        message.run = line.run
    if line.tag is not None:
        message.tag = line.tag
