"""The forms of older bus files, which also occur between messages in newer ones.

    [2026-01-31T20:59:30Z] type=question project=swarm task=planning
    [2026-02-05 12:51:54] FACT: Task docs-user started (PID: 87913)
    [2026-02-05 12:51:54] (FACT) Task docs-user started
    - REVIEW 2026-07-18 19:06 CEST (Final quorum): PASS/NO BLOCKERS

Indented lines below continue the text, and so does a line that begins with `Message:`:

    [2026-01-31T21:00:30Z] type=answer project=swarm task=planning
    Message: The first one.
      It is shorter.

They have neither agent nor id; on intake they get an id from their place. The text in parentheses after the
time is the subject.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

_STAMPED: Final = re.compile(r"\[([0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]{0,30})\] ")
_PAIRS: Final = re.compile(r"type=[A-Za-z_]+(?: |$)")
_PAIR: Final = re.compile(r"([A-Za-z_]+)=(\"[^\"]*\"|[^\s\"]\S*)(?: +|$)")
_TYPED: Final = re.compile(r"(?:\(([A-Z][A-Z_]+)\)|([A-Z][A-Z_]+):)(?: +|$)")
_ITEM: Final = re.compile(
    r"- ([A-Z][A-Z_]+) ([0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?"
    r"(?: (?:[A-Z]{1,5}|[+-][0-9]{2}:?[0-9]{2}))?)(?: \(([^()]*)\))?:(?: +|$)"
)
#: How such a line begins; used to find the end of a header.
BEGINS: Final = (
    rb"(?:\[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]\n]{0,30}\] (?:type=|\([A-Z]|[A-Z][A-Z_]+:)"
    rb"|- [A-Z][A-Z_]+ [0-9]{4}-[0-9]{2}-[0-9]{2}[ :])"
)
#: The lines that continue the text of such a line.
CONTINUATION: Final = re.compile(rb"(?:(?:[ \t]+[^\s][^\n]*|Message:[^\n]*)(?:\n|\Z))*", re.I)
_LABEL: Final = re.compile(r"[ \t]*Message:[ \t]*", re.I)


class Line(NamedTuple):
    """The parts of a line."""

    word: str
    at: str
    body: str
    subject: str = ""
    pairs: Mapping[str, str] = MappingProxyType({})


def read(text: str) -> Line | None:
    """Return the parts of a line in one of these forms, or None."""
    if item := _ITEM.match(text):
        return Line(item[1], item[2], text[item.end() :], item[3] or "")
    stamp = _STAMPED.match(text)
    if stamp is None:
        return None
    if typed := _TYPED.match(text, stamp.end()):
        return Line(typed[1] or typed[2], stamp[1], text[typed.end() :])
    if not _PAIRS.match(text, stamp.end()):
        return None
    pairs: dict[str, str] = {}
    end = stamp.end()
    while (pair := _PAIR.match(text, end)) and pair[1] not in pairs:
        pairs[pair[1]] = pair[2].strip('"')
        end = pair.end()
    return Line(pairs.pop("type").upper(), stamp[1], text[end:], "", pairs)


def join(body: str, continuation: str) -> str:
    """Return a text with the lines that continue it, without their indentation and label."""
    lines = [_LABEL.sub("", line, count=1).strip() for line in continuation.split("\n")]
    return "\n".join([line for line in (body, *lines) if line])
