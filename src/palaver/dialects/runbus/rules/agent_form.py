"""RUN045 agent-form: an agent is neither one word nor `<type>-<role>-<N>`.

Why: the number distinguishes instances, and the word before it is the role. Messages from other dialects are not
checked.

Bad (MESSAGE-BUS.md):

    ---
    messageId: MSG-20260126-101500-claude-5f2
    type: FACT
    agent: claude-research
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

import re
from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.runbus.entries import entries, finding
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "RUN045"


_FORM: Final = re.compile(r"@?[a-z0-9._]+(?:-[a-z0-9._-]+-[0-9]+)?")


def check(source: Source, parsed: Parsed, _together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such agent."""
    for entry in entries(source, parsed):
        agent = entry.message.sender
        if entry.front is not None and not entry.is_translated and not _FORM.fullmatch(agent):
            said = f"the agent {agent} is neither one word nor <type>-<role>-<N>"
            yield finding(CODE, source, entry.piece, said, "name it like claude-research-1")


RULE: Final = Rule(code=CODE, name="agent-form", manual=__doc__, check=check)
