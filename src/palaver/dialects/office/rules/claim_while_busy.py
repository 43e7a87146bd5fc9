"""OFF109 claim-while-busy: a task is claimed by an employee that has another one in progress.

Why: one task at a time. An employee with two tasks finishes neither, and blocks the second for others. Checked
only together with the manager's inbox, where the first one was approved.

Bad (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T10:00:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.`):

    [2026-02-11T10:30:00Z] [CLAIM] task-005 | title: Footer | by: emp-a1 | difficulty: 1 | deps-met: yes

Good (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T10:00:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.`):

    [2026-02-11T10:20:00Z] [DELIVERY] task-004 | by: emp-a1 | files: home.html | criteria-met: all
    [2026-02-11T10:30:00Z] [CLAIM] task-005 | title: Footer | by: emp-a1 | difficulty: 1 | deps-met: yes
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.office.ledger import Ledger, is_before, is_same_task
from palaver.dialects.shared.rule import CheckedFile, Violation, rule
from palaver.model.message import Message


def _check(file: CheckedFile) -> Iterator[Violation]:
    ledger = Ledger(file)
    for each in ledger.own:
        message = each.message
        if message.act == "claim" and message.at:
            held = _held(ledger, message)
            if held:
                yield each.violation(
                    f"task-{message.task} is claimed while task-{held} is in progress",
                    f"deliver task-{held} first",
                )


def _held(ledger: Ledger, claim: Message) -> str:
    """Return a task of the claimer that was approved before and is neither delivered nor released."""
    worker = claim.sender
    for approval in ledger.said("approve", to=worker):
        task = approval.task
        if is_same_task(task, claim.task) or not is_before(approval, claim):
            continue
        ends = (
            *ledger.said("deliver", task=task, by=worker),
            *ledger.said("release", task=task, by=worker),
            *ledger.said("release", task=task, to=worker),
            *ledger.said("accept", task=task),
            *ledger.said("cancel", task=task),
        )
        if not any(is_before(approval, end) and is_before(end, claim) for end in ends):
            return task
    return ""


RULE: Final = rule(__doc__, _check)
