"""What one bus file, or several judged together, can prove to be wrong. One file a rule."""

from typing import Final

from palaver.dialects.runbus.rules import (
    agent_form,
    answer_to_no_question,
    answer_without_relatesto,
    comma_in_file_name,
    complete_without_files,
    error_off_template,
    id_twice,
    malformed_id,
    message_above_the_mark,
    no_run_id,
    no_task_id,
    one_line_form,
    open_question,
    placeholder_id,
    review_off_template,
    time_goes_back,
    type_of_another_bus,
)
from palaver.model.dialect import LintRule

RULES: Final[tuple[LintRule, ...]] = (
    answer_without_relatesto.RULE,
    answer_to_no_question.RULE,
    malformed_id.RULE,
    id_twice.RULE,
    no_run_id.RULE,
    no_task_id.RULE,
    review_off_template.RULE,
    error_off_template.RULE,
    complete_without_files.RULE,
    time_goes_back.RULE,
    type_of_another_bus.RULE,
    open_question.RULE,
    placeholder_id.RULE,
    one_line_form.RULE,
    comma_in_file_name.RULE,
    agent_form.RULE,
    message_above_the_mark.RULE,
)
