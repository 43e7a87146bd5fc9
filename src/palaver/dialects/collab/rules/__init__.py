"""The rules of collab, one module each: its docstring is the manual page, `check` finds the violations."""

from palaver.dialects.shared.rule import load_rules

RULES = load_rules(
    __name__,
    "answer_before_asking",
    "one_task_at_a_time",
    "no_hanging_threads",
    "result_on_close",
    "reason_on_block",
    "untagged_request",
    "untagged_promise",
    "banned_phrases",
    "several_lines",
    "nested_tags",
    "unknown_sender",
    "inbox_file_name",
    "line_format",
    "unknown_tag",
    "unknown_task",
    "health_pairs",
    "repeated_line",
)
