"""RUN044 comma-in-file-name: a file or an artifact has a comma or a quote in its name.

Why: lists are comma-separated, so other readers see two names, and neither file exists.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: COMPLETE
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    files: "notes, final.md"
    ---

    The notes are done.

    ---

Good (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: COMPLETE
    agent: claude-research-1
    timestamp: 2026-01-26T10:15:00Z
    runId: run_001
    taskId: TASK-parser
    files: notes-final.md
    ---

    The notes are done.

    ---
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.runbus.entries import entries, finding
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN044"


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each message with such a name."""
    for entry in entries(source, parsed):
        paths = [str(file.get("path", "")) for file in entry.message.files]
        odd = [name for name in (*paths, *entry.message.artifacts) if "," in name or '"' in name]
        if odd:
            said = f"{odd[0][:80]!a} cannot be written in a list"
            yield finding(CODE, source, entry.piece, said, "rename it, without commas and quotes")


RULE: Final = Rule(code=CODE, name="comma-in-file-name", manual=__doc__, check=check)
