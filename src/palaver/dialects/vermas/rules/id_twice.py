"""VER105 id-twice: two messages have one id.

Why: whoever marks one as read marks the other; whoever looks for one may find the other. (Neighbouring lines
that differ only in `to` are one message to several, and are fine.)

Bad (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"operations","subject":"a","body":"x","timestamp":"2026-01-01T00:00:00Z"}
    {"id":"msg-1","from":"ceo","to":"operations","subject":"b","body":"y","timestamp":"2026-01-01T00:00:01Z"}

Good (.work/messages.jsonl):

    {"id":"msg-1","from":"ceo","to":"operations","subject":"a","body":"x","timestamp":"2026-01-01T00:00:00Z"}
    {"id":"msg-2","from":"ceo","to":"operations","subject":"b","body":"y","timestamp":"2026-01-01T00:00:01Z"}
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.vermas.rules.places import letters
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "VER105"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each id that was used before."""
    assert source.path in together
    seen: dict[str, int] = {}
    for place, message in letters(source, parsed):
        if message.id and message.id in seen:
            what = f"{message.id} is the id of line {seen[message.id]} too"
            yield Finding(code=CODE, place=place, message=what, fix="give each message an id of its own")
        seen.setdefault(message.id, place.line)


RULE: Final = Rule(code=CODE, name="id-twice", manual=__doc__, check=check)
