"""SWA108 word-in-wrong-type: a keyword is used in a type in which it has no meaning.

Why: readers go by the type first. An `ACK:` in a `message` is read as plain text, and the director keeps waiting.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"message","reasoning":"Receipt.","content":"ACK: Claimed task #2."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"task","reasoning":"Receipt.","content":"ACK: Claimed task #2."}
    {"ts":"2026-01-25T23:45:01Z","from":"qa","to":["@td"],"type":"message","reasoning":"A quote.","content":"[INFORM] ACK: is what I wrote."}
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.swarm.grammar import CARRIERS
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding, Place

CODE: Final = "SWA108"

#: Matched in the bytes of a line, because a message does not keep its keyword. Inside a text every quote is
#: escaped, so these are keys.
_CONTENT: Final = re.compile(rb'"content"\s*:\s*"(%s):' % "|".join(CARRIERS).encode())
_TYPE: Final = re.compile(rb'"type"\s*:\s*"([a-z]+)"')


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such keyword."""
    del together
    for piece in parsed.pieces:
        if not piece.values:
            continue
        start = piece.start - source.offset
        content = _CONTENT.search(source.content, start, start + piece.length)
        if content is None:
            continue
        kind = _TYPE.search(source.content, start, start + piece.length)
        word, said = content[1].decode(), kind[1].decode() if kind else "message"
        if said not in CARRIERS[word]:
            yield Finding(
                code=CODE,
                place=Place(path=source.path, line=piece.line, offset=piece.start),
                message=f"{word}: is used in a {said}",
                fix=f"write it with type {' or '.join(CARRIERS[word])}",
            )


RULE: Final = Rule(code=CODE, name="word-in-wrong-type", manual=__doc__, check=check)
