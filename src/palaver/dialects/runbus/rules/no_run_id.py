"""RUN034 no-run-id: a message does not name its run.

Why: `runId` is required: it leads to the prompts, logs and artifacts of a message. Write `run_000` if there is
no run.

Bad (MESSAGE-BUS.md):

    claude FACT (no runId): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

from functools import partial

from palaver.dialects.runbus.grammar import NO_RUN
from palaver.dialects.runbus.rule_entries import check_has_field

check = partial(check_has_field, field="run", key="runId", form=f"run_XXX, or {NO_RUN}")
