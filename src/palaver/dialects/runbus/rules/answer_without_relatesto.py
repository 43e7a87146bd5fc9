"""RUN030 answer-without-relatesto: an ANSWER does not name the message that it answers.

Why: `relatesTo` is required for ANSWER. Without it no agent can tell which question is answered.

Bad (MESSAGE-BUS.md):

    codex ANSWER: The second one.

Good (MESSAGE-BUS.md):

    codex ANSWER (relatesTo: MSG-20260126-101500-claude-5f2): The second one.
"""

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        if entry.kind == "ANSWER" and not entry.message.reply_to:
            yield entry.violation(
                "the ANSWER has no relatesTo", "write relatesTo: and the id of the question"
            )
