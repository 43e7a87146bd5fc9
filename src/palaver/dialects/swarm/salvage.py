"""A whole record behind a torn one: a writer died in the middle of a line, and the next one wrote on.

    {"ts":"2026-01-25T23:45:00.000Z","from":"progr{"ts":"2026-01-25T23:46:00.000Z","from":"qa",…}

Inside a JSON text every quote is escaped, so `{"ts":` can only be where an object starts. One that starts
where a value may stand could be quoted by the torn record; that one is not taken.
"""

import re
from itertools import islice
from typing import Final

from palaver.dialects.swarm.careful import careful
from palaver.dialects.swarm.desk import Desk
from palaver.dialects.swarm.fault import Fault
from palaver.dialects.swarm.strict import opens_whole
from palaver.model.message import Message

_START: Final = re.compile(rb'\{ ?"(?:ts|from)" ?:')
#: A line is torn once, perhaps twice; more tries would let a bad line cost more than a good one.
_TRIES: Final = 8


def salvaged(raw: bytes, desk: Desk) -> tuple[int, Message, list[Fault]] | None:
    """Return how many bytes are torn, and the message behind them with what is odd about it; or None."""
    starts = [match.start() for match in islice(_START.finditer(raw, 1), _TRIES)]
    if not starts or opens_whole(raw.decode("utf-8", "replace")):
        return None
    for start in starts:
        if raw[:start].rstrip()[-1:] in (b":", b",", b"["):
            continue
        message, notes = careful(raw[start:].strip(b" \t\r"), desk)
        if message is not None:
            return start, message, notes
    return None
