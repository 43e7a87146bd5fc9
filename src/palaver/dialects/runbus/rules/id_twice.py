"""RUN033 id-twice: two messages have the same messageId.

Why: ids of the same second collide. A reference to the id is then ambiguous.

Bad (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    claude FACT (agent: claude-research-2; taskId: TASK-tests): The tests are ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
    claude FACT (messageId: MSG-20260126-101500-claude-a07; agent: claude-research-2; taskId: TASK-tests): The tests are ready.
"""

from functools import partial
from typing import Final

from palaver.dialects.shared.rule import check_unique_ids

NEEDS_CONTEXT: Final = True

check = partial(check_unique_ids, fix="give it another random part")
