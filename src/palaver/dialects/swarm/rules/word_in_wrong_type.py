"""SWA108 word-in-wrong-type: a keyword is used in a type in which it has no meaning.

Why: readers go by the type first, so an `ACK:` in a `message` is read as plain text and the director keeps waiting.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"message","reasoning":"Receipt.","content":"ACK: Claimed task #2."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"task","reasoning":"Receipt.","content":"ACK: Claimed task #2."}
    {"ts":"2026-01-25T23:45:01Z","from":"qa","to":["@td"],"type":"message","reasoning":"A quote.","content":"[INFORM] ACK: is what I wrote."}
"""

import re
from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.dialects.swarm.grammar import CARRIERS

#: Matched in the bytes of a line, because a message does not keep its keyword. Inside a text every quote is
#: escaped, so these are keys.
_CONTENT: Final = re.compile(rb'"content"\s*:\s*"(%s):' % "|".join(CARRIERS).encode())
_TYPE: Final = re.compile(rb'"type"\s*:\s*"([a-z]+)"')


def check(file: CheckedFile) -> Violations:
    for each in file.messages():
        if content := _CONTENT.search(each.raw):
            found = _TYPE.search(each.raw)
            keyword, kind = content[1].decode(), found[1].decode() if found else "message"
            if kind not in CARRIERS[keyword]:
                fix = f"write it with type {' or '.join(CARRIERS[keyword])}"
                yield each.violation(f"{keyword}: is used in a {kind}", fix)
