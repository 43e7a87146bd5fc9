"""RUN033 id-twice: two different messages have the same messageId.

Why: ids of the same second collide. A reference to the id is then ambiguous. The same block once more is the same message.

Bad (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    claude FACT (agent: claude-research-2; taskId: TASK-tests): The tests are ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    claude FACT (messageId: MSG-20260126-101500-claude-a07; agent: claude-research-2; taskId: TASK-tests): The tests are ready.
"""

from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Located, Violations
from palaver.model.masking.masks import clip

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    first: dict[str, Located] = {}
    for each in file.messages():
        message_id = each.message.id
        known = first.setdefault(message_id, each)
        if message_id and known is not each and known.raw.strip() != each.raw.strip():
            what = f"{clip(message_id, 80)} is also the id of line {known.place.line}"
            yield each.violation(what, "give it another random part")
