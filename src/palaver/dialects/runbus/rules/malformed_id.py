"""RUN032 malformed-id: a messageId is not `MSG-YYYYMMDD-HHMMSS-<agent>-<rand>`.

Why: messages are found and related by id; ids that are made in other ways collide.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-17
    type: FACT
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    The parser is ready.

    ---

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: FACT
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    ---

    The parser is ready.

    ---
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.runbus.entries import entries, finding
from palaver.dialects.runbus.entry import read_time
from palaver.dialects.runbus.grammar import ID
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN032"
_FORM: Final = "write MSG-YYYYMMDD-HHMMSS-<agent>-<rand>"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such id."""
    for entry in entries(source, parsed):
        written = entry.message.id
        if written and not _is_formed(written):
            yield finding(CODE, source, entry.piece, f"{written[:80]} is not a message id", _FORM)


def _is_formed(written: str) -> bool:
    match = ID.fullmatch(written)
    if match is None:
        return False
    day, clock = match[1], match[2]
    if not int(day):
        return True  # copied from the placeholder: RUN042
    return bool(read_time(f"{day[:4]}-{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:4]}:{clock[4:]}"))


RULE: Final = Rule(code=CODE, name="malformed-id", manual=__doc__, check=check)
