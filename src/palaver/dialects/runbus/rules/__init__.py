"""The rules of runbus, one module each: its docstring is the manual page, `check` finds the violations."""

from palaver.dialects.runbus.rule_entries import expand_examples
from palaver.dialects.shared.rule import load_rules

RULES = load_rules(
    __name__,
    "answer_without_relatesto",
    "answer_to_no_question",
    "malformed_id",
    "id_twice",
    "no_run_id",
    "no_task_id",
    "review_off_template",
    "error_off_template",
    "complete_without_files",
    "time_goes_back",
    "type_of_another_bus",
    "open_question",
    "placeholder_id",
    "one_line_form",
    "comma_in_file_name",
    "agent_form",
    "message_above_the_mark",
    expand=expand_examples,
)
