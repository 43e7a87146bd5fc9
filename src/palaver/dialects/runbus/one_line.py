"""The one-line forms of older bus files, which also occur between messages in newer ones.

    [2026-01-31T20:59:30Z] type=question project=swarm task=planning
    [2026-02-05 12:51:54] FACT: Task docs-user started (PID: 87913)
    [2026-02-05 12:51:54] (FACT) Task docs-user started
    - REVIEW 2026-07-18 19:06 CEST (Final quorum): PASS/NO BLOCKERS

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
