"""RUN034 no-run-id: a message does not name its run.

Why: `runId` is required: it leads to the prompts, logs and artifacts of a message. Write `run_000` if there is
no run.

Bad (MESSAGE-BUS.md):

    claude FACT (no runId): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.runbus.entries import entries, runbus_rule
from palaver.dialects.runbus.grammar import NO_RUN
from palaver.dialects.shared.rule import CheckedFile, Violation


def _check(file: CheckedFile) -> Iterator[Violation]:
    for entry in entries(file):
        if entry.front is not None and not entry.field("run"):
            way_out = f"write runId: run_XXX, or {NO_RUN} for none"
            yield entry.violation("it has no runId", way_out)


RULE: Final = runbus_rule(__doc__, _check)
