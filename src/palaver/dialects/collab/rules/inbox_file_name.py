"""COL112 inbox-file-name: a file in the inbox is not named `msg_<nanoseconds>.txt`.

Why: writing `message.txt` in place overwrites the previous message, and a reader may see half of the new one.
Write a temporary file and move it in under a unique name:
`mv "$TMPFILE" "$INBOX/msg_$(date +%s%N).txt"`.

Bad (inbox/message.txt):

    [TASK:price-check] BTC price

Good (inbox/msg_1771730144123456789.txt):

    [TASK:price-check] BTC price
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.collab.grammar import INBOX_FILE
from palaver.dialects.collab.layout import is_inbox
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding, Place

CODE: Final = "COL112"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield a finding for a file with another name."""
    name = source.path.rpartition("/")[2]
    if is_inbox(source.path) and parsed.pieces and not INBOX_FILE.fullmatch(name):
        place = Place(path=source.path, line=source.line, offset=source.offset)
        fix = "write a temporary file and move it to inbox/msg_$(date +%s%N).txt"
        yield Finding(code=CODE, place=place, message=f"{name!a} is not msg_<nanoseconds>.txt", fix=fix)


RULE: Final = Rule(code=CODE, name="inbox-file-name", manual=__doc__, check=check)
