"""The rules of an office, one module each: its docstring is the manual page, `check` finds the violations."""

from palaver.dialects.shared.rule import load_rules

RULES = load_rules(
    __name__,
    "exact_format",
    "manager_in_employee_log",
    "worker_in_manager_inbox",
    "line_in_anothers_log",
    "model_name_as_id",
    "time_goes_back",
    "dependencies_not_met",
    "claimed_twice",
    "claim_while_busy",
    "claim_of_done_task",
    "delivery_without_approval",
    "done_without_delivery",
    "written_after_stop",
    "unknown_employee",
    "misnamed_file",
)
