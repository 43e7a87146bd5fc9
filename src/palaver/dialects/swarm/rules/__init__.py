"""The rules of swarm, one file each. The file is the manual page."""

from typing import Final

from palaver.dialects.swarm.rules import (
    ack_missing,
    autonomy_not_from_td,
    autonomy_unclear,
    blocked_names_nobody,
    handoff_names_nobody,
    reasoning_missing,
    shutdown_not_from_td,
    shutdown_unanswered,
    unknown_handle,
    word_in_wrong_type,
)
from palaver.model.dialect import LintRule

RULES: Final[tuple[LintRule, ...]] = (
    reasoning_missing.RULE,
    autonomy_not_from_td.RULE,
    autonomy_unclear.RULE,
    ack_missing.RULE,
    blocked_names_nobody.RULE,
    shutdown_not_from_td.RULE,
    shutdown_unanswered.RULE,
    word_in_wrong_type.RULE,
    unknown_handle.RULE,
    handoff_names_nobody.RULE,
)
