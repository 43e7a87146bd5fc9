"""The rules of swarm, one module each: its docstring is the manual page, `check` finds the violations."""

from palaver.dialects.shared.rule import load_rules

RULES = load_rules(
    __name__,
    "reasoning_missing",
    "autonomy_not_from_td",
    "autonomy_unclear",
    "ack_missing",
    "blocked_names_nobody",
    "shutdown_not_from_td",
    "shutdown_unanswered",
    "word_in_wrong_type",
    "unknown_handle",
    "handoff_names_nobody",
)
