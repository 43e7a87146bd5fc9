"""RUN046 message-above-the-mark: a message is above the mark below which all messages belong.

Why: other readers start at the mark and never see it.

Bad (MESSAGE-BUS.md):

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

    <!-- All messages below this line. Append only. Do not modify above messages. -->

Good (MESSAGE-BUS.md):

    <!-- All messages below this line. Append only. Do not modify above messages. -->

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

from palaver.dialects.runbus.entries import finding
from palaver.dialects.runbus.grammar import MARK
from palaver.model.dialect import Kind, Parsed, Piece, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN046"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such message."""
    above: list[Piece] = []
    for piece in parsed.pieces:
        if piece.kind is Kind.EVENT:
            above.append(piece)
        elif piece.kind is Kind.BLANK and above and _is_mark(source, piece):
            for each in above:
                yield finding(CODE, source, each, "it is above the mark", "append it at the end of the file")
            above = []


def _is_mark(source: Source, piece: Piece) -> bool:
    start = piece.start - source.offset
    return MARK.match(source.content, start, start + piece.length) is not None


RULE: Final = Rule(code=CODE, name="message-above-the-mark", manual=__doc__, check=check)
