"""COL112 inbox-file-name: a file in the inbox is not named `msg_<nanoseconds>.txt`.

Why: writing `message.txt` in place overwrites the previous message, and a reader may see half of the new one.
Write a temporary file and move it in under a unique name:
`mv "$TMPFILE" "$INBOX/msg_$(date +%s%N).txt"`.

Bad (inbox/message.txt):

    [TASK:price-check] BTC price

Good (inbox/msg_1771730144123456789.txt):

    [TASK:price-check] BTC price
"""

from palaver.dialects.collab.layout import dropped_at, is_inbox
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.model.mounted_files import Place


def check(file: CheckedFile) -> Violations:
    name = file.source.path.rpartition("/")[2]
    if is_inbox(file.source.path) and file.parsed.pieces and not dropped_at(name):
        place = Place(path=file.source.path, line=file.source.line, offset=file.source.offset)
        fix = "write a temporary file and move it to inbox/msg_$(date +%s%N).txt"
        yield Violation(place, f"{name!a} is not msg_<nanoseconds>.txt", fix)
