"""RUN031 answer-to-no-question: an ANSWER relates to a message that is not a QUESTION on this bus.

Why: the real question stays open, and the agent that asked keeps waiting.

Bad (MESSAGE-BUS.md):

    claude FACT: There are two parsers.
    codex ANSWER (relatesTo: MSG-20260126-101500-claude-5f2): The second one.

Good (MESSAGE-BUS.md):

    claude QUESTION: Which parser do we keep?
    codex ANSWER (relatesTo: MSG-20260126-101500-claude-5f2): The second one.
"""

from typing import Final

from palaver.dialects.runbus.rule_entries import entries, known_as
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.masking.masks import clip
from palaver.model.message import Message

SPARES_ANSWERS: Final = True


def check(file: CheckedFile) -> Violations:
    questions = known_as(each.id for each in file.all_of(Message) if each.act == "ask")
    for entry in entries(file):
        wanted = entry.message.reply_to
        if entry.message.act == "answer" and wanted and wanted not in questions:
            said = f"{clip(wanted, 80)!a} is not a QUESTION on this bus"
            yield entry.violation(said, "relate it to the question that it answers")
