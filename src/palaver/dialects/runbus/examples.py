"""Examples in the manual pages of rules: short in the source, complete on the page.

    codex ANSWER (no runId; relatesTo: MSG-20260126-101500-claude-5f2): The second one.

becomes a whole block. Its author has the fields below; those in parentheses replace them, follow them, or are
left out (`no runId`). A text of several lines begins on the next line and takes the rest of the example.
"""

import re
from typing import Final

from palaver.dialects.shared.rule import Check, rule
from palaver.model.dialect import Rule

_AUTHORS: Final = {
    "claude": {
        "messageId": "MSG-20260126-101500-claude-5f2",
        "type": "",
        "agent": "claude-research-1",
        "timestamp": "2026-01-26T10:15:00Z",
        "runId": "run_001",
        "taskId": "TASK-parser",
    },
    "codex": {
        "messageId": "MSG-20260126-101700-codex-a1b",
        "type": "",
        "agent": "codex-impl-1",
        "timestamp": "2026-01-26T10:17:00Z",
        "runId": "run_001",
        "taskId": "TASK-parser",
    },
}
_EXAMPLE: Final = re.compile(
    rf"^    ({'|'.join(_AUTHORS)}) ([A-Z]+)(?: \(([^()\n]*)\))?:(?: (.+\n)|\n((?:    .*\n|\n)+))", re.M
)


def runbus_rule(manual: str, check: Check) -> Rule:
    """Return the rule of a manual page whose examples are short."""
    return rule(_EXAMPLE.sub(_block, manual), check)


def _block(match: re.Match[str]) -> str:
    author, kind, changes, line, lines = match.groups()
    fields = {**_AUTHORS[author], "type": kind}
    for change in changes.split("; ") if changes else ():
        key, _, value = change.partition(": ")
        if value:
            fields[key] = value
        else:
            del fields[key.removeprefix("no ")]
    head = "".join(f"    {key}: {value}\n" for key, value in fields.items())
    text = f"    {line}" if line else f"{lines.rstrip()}\n"
    return f"    ---\n{head}    ---\n\n{text}\n    ---\n"
