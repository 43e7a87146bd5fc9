"""RUN040 type-of-another-bus: a type is known, but is not one of the nine of this bus.

Why: other agents of this bus look for FACT, DECISION, QUESTION, ANSWER, PROGRESS, ERROR, COMPLETE, TASK and REVIEW.

Bad (MESSAGE-BUS.md):

    claude INFO: The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from palaver.dialects.runbus.grammar import NATIVE, variant
from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        word = entry.message.tag
        if act := variant(word):
            yield entry.violation(f"{word} is not one of the nine types", f"write {NATIVE[act]}")
