"""RUN042 placeholder-id: a real message uses the id of the placeholder, or its date of zeros.

Why: the placeholder is there for reference. Every file has its id, so nothing can relate to it.

Bad (MESSAGE-BUS.md):

    claude FACT (messageId: MSG-00000000-000000-claude-5f2): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from palaver.dialects.runbus.grammar import ID, PLACEHOLDER_ID
from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.masking.masks import clip


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        match = ID.fullmatch(entry.message.id)
        if match is not None and not int(match[1]):
            way_out = "write the date and time of the message into its id"
            yield entry.violation(f"{clip(entry.message.id, 80)} has the placeholder's date", way_out)
        if entry.message.reply_to == PLACEHOLDER_ID:
            yield entry.violation("it relates to the placeholder", "relate to a real message, or to none")
