"""RUN045 agent-form: an agent is neither one word nor `<type>-<role>-<N>`.

Why: the number distinguishes instances, and the word before it is the role. Messages from other dialects are not
checked.

Bad (MESSAGE-BUS.md):

    claude FACT (agent: claude-research): The parser is ready.

Good (MESSAGE-BUS.md):

    claude FACT: The parser is ready.
"""

import re
from typing import Final

from palaver.dialects.runbus.rule_entries import entries
from palaver.dialects.shared.rule import CheckedFile, Violations

_FORM: Final = re.compile(r"@?[a-z0-9._]+(?:-[a-z0-9._-]+-[0-9]+)?")


def check(file: CheckedFile) -> Violations:
    for entry in entries(file):
        agent = entry.message.sender
        if entry.front is not None and not entry.is_translated and not _FORM.fullmatch(agent):
            said = f"the agent {agent} is neither one word nor <type>-<role>-<N>"
            yield entry.violation(said, "name it like claude-research-1")
