"""RUN032 malformed-id: a messageId is not `MSG-YYYYMMDD-HHMMSS-<agent>-<rand>`.

Why: messages are found and related by id; ids that are made in other ways collide.

Bad (MESSAGE-BUS.md):

    claude FACT (messageId: MSG-17): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from typing import Final

from palaver.dialects.runbus.entry import read_time
from palaver.dialects.runbus.grammar import ID
from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.masking.masks import clip

_FORM: Final = "write MSG-YYYYMMDD-HHMMSS-<agent>-<rand>"


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        written = entry.message.id
        if written and not _is_formed(written):
            yield entry.violation(f"{clip(written, 80)} is not a message id", _FORM)


def _is_formed(written: str) -> bool:
    match = ID.fullmatch(written)
    if match is None:
        return False
    day, clock = match[1], match[2]
    if not int(day):
        return True  # copied from the placeholder: RUN042
    return bool(read_time(f"{day[:4]}-{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:4]}:{clock[4:]}"))
