"""RUN030 answer-without-relatesto: an ANSWER does not name the message that it answers.

Why: `relatesTo` is required for ANSWER. Without it no agent can tell which question is answered.

Bad (MESSAGE-BUS.md):

    codex ANSWER: The second one.

Good (MESSAGE-BUS.md):

    codex ANSWER (relatesTo: MSG-20260126-101500-claude-5f2): The second one.
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries, runbus_rule
from palaver.dialects.shared.rule import CheckedFile, Violation


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        if entry.field("type").upper() == "ANSWER" and not entry.message.reply_to:
            said = "the ANSWER has no relatesTo"
            yield entry.violation(said, "write relatesTo: and the id of the question")


RULE: Final = runbus_rule(__doc__, _check)
