"""RUN043 one-line-form: a message is one line in an older form.

Why: such a line has neither agent nor id, so it cannot be answered.

Bad (MESSAGE-BUS.md):

    [2026-02-05 12:51:54] FACT: Task docs-user started (PID: 87913)

Good (MESSAGE-BUS.md):

    codex FACT (messageId: MSG-20260205-125154-orchestrator-9c1; agent: orchestrator; timestamp: 2026-02-05T12:51:54Z): Task docs-user started (PID: 87913)
"""

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        if entry.front is None:
            way_out = "write it as a block, from messageId to the closing ---"
            yield entry.violation("the message is one line, without agent and id", way_out)
