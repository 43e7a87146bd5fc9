"""What a person should know about an office's files. One file a rule; its docstring is the manual page."""

from typing import Final

from palaver.dialects.office.rules import (
    approval_without_claim,
    claim_of_done_task,
    claim_while_busy,
    claimed_twice,
    delivery_without_approval,
    dependencies_not_met,
    done_without_delivery,
    exact_format,
    line_in_anothers_log,
    manager_in_employee_log,
    model_name_as_id,
    time_goes_back,
    worker_in_manager_inbox,
    written_after_stop,
)

RULES: Final = (
    exact_format.RULE,
    manager_in_employee_log.RULE,
    worker_in_manager_inbox.RULE,
    line_in_anothers_log.RULE,
    model_name_as_id.RULE,
    time_goes_back.RULE,
    dependencies_not_met.RULE,
    claimed_twice.RULE,
    claim_while_busy.RULE,
    claim_of_done_task.RULE,
    delivery_without_approval.RULE,
    approval_without_claim.RULE,
    done_without_delivery.RULE,
    written_after_stop.RULE,
)
