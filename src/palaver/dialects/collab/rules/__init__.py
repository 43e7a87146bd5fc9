"""The rules of collab, one file each."""

from typing import Final

from palaver.dialects.collab.rules import (
    answer_before_asking,
    banned_phrases,
    done_for_unknown_task,
    health_pairs,
    inbox_file_name,
    line_format,
    nested_tags,
    no_hanging_threads,
    one_task_at_a_time,
    reason_on_block,
    repeated_line,
    result_on_close,
    several_lines,
    unknown_sender,
    unknown_tag,
    untagged_promise,
    untagged_request,
)

RULES: Final = (
    answer_before_asking.RULE,
    one_task_at_a_time.RULE,
    no_hanging_threads.RULE,
    result_on_close.RULE,
    reason_on_block.RULE,
    untagged_request.RULE,
    untagged_promise.RULE,
    banned_phrases.RULE,
    several_lines.RULE,
    nested_tags.RULE,
    unknown_sender.RULE,
    inbox_file_name.RULE,
    line_format.RULE,
    unknown_tag.RULE,
    done_for_unknown_task.RULE,
    health_pairs.RULE,
    repeated_line.RULE,
)
