"""The rules of vermas, one module each: its docstring is the manual page, `check` finds the violations."""

from palaver.dialects.shared.rule import load_rules

RULES = load_rules(
    __name__,
    "wrong_sender",
    "typed_without_work_order",
    "handoff_without_handshake",
    "handoff_not_assigned",
    "id_twice",
    "assignment_to_nothing",
)
