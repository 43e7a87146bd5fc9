"""Drafts for tests: the least that a log will take, each with an id of its own."""

from typing import Final

from palaver.log.clock import new_id
from palaver.log.record import body
from palaver.model.event import Draft
from palaver.model.limits import ENVELOPE_BYTES

NOON: Final = "2026-01-01T12:00:00.000Z"

# What breaks programs that split, print or trim text: line ends that are none, nothings, half a pair of
# surrogates, the terminal's own words, right-to-left marks, pictures.
HOSTILE_TEXTS: Final = (
    "line one\nline two\r\nline three\rend",
    "\u2028 \u2029 \u0085 \x0b \x0c \x1c \x1d \x1e",
    "\x00 in the middle \x00",
    "\ufeffa mark at the start",
    "half a pair: \ud800, the other half: \udfff",
    "\x1b[2J\x1b]0;title\x07 \x9b31m",
    "\u202eright to left\u202c \u2066isolated\u2069 \u200f",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \u200b",
    '"quotes", \\backslashes\\ and {"json":"crc"}',
    ',"crc":"00000000"}',
    "\x7f\uffff\U0010ffff",
    "",
)


def said(words: str, *, by: str = "ada", key: str = "", event_type: str = "mail.sent") -> Draft:
    """Return a draft that says something, with a new id."""
    return Draft(event_type, actor=by, data={"body": words}, event_id=new_id("evt"), timestamp=NOON, key=key)


def of_size(size: int) -> Draft:
    """Return a draft that makes a record of this size, counting the room that is kept for its envelope."""
    empty = len(body(said("")))
    return said("x" * (size - ENVELOPE_BYTES - empty))
