"""RUN033 id-twice: two messages have the same messageId.

Why: ids of the same second collide. A reference to the id is then ambiguous.

Bad (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    claude FACT (agent: claude-research-2; taskId: TASK-tests): The tests are ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    claude FACT (messageId: MSG-20260126-101500-claude-a07; agent: claude-research-2; taskId: TASK-tests): The tests are ready.
"""

from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    first: dict[str, int] = {}
    for each in file.messages():
        written, line = each.message.id, each.place.line
        if written and first.setdefault(written, line) != line:
            what = f"{written[:80]} is also the id of line {first[written]}"
            yield each.violation(what, "give it another random part")
