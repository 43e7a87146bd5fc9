"""RUN040 type-of-another-bus: a type is known, but is not one of the nine of this bus.

Why: other agents of this bus look for FACT, DECISION, QUESTION, ANSWER, PROGRESS, ERROR, COMPLETE, TASK and REVIEW.

Bad (MESSAGE-BUS.md):

    claude INFO: The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries, runbus_rule
from palaver.dialects.runbus.grammar import NATIVE, variant
from palaver.dialects.shared.rule import CheckedFile, Violation


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        word = entry.message.tag
        if act := variant(word):
            said = f"{word} is not one of the nine types"
            yield entry.violation(said, f"write {NATIVE[act]}")


RULE: Final = runbus_rule(__doc__, _check)
