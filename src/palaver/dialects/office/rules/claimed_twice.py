"""OFF108 claimed-twice: a task is claimed that another employee has already claimed.

Why: a worker reads all employee logs before it claims, and leaves a task alone that another has claimed. The
earlier claim wins; this one will get a REJECT. Checked only together with the manager's inbox, where the first
claim may have been rejected.

Bad (messages/employee-emp-b2.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`; messages/manager-inbox.log holds `[2026-02-11T09:00:00Z] [REPLY] To all: Begin.`):

    [2026-02-11T10:01:00Z] [CLAIM] task-004 | title: Home Page | by: emp-b2 | difficulty: 3 | deps-met: yes

Good (messages/employee-emp-b2.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`; messages/manager-inbox.log holds `[2026-02-11T10:00:30Z] [REJECT] task-004 claim by emp-a1 rejected: level too low.`):

    [2026-02-11T10:01:00Z] [CLAIM] task-004 | title: Home Page | by: emp-b2 | difficulty: 3 | deps-met: yes
"""

from collections.abc import Iterator
from typing import Final

from palaver.dialects.office.ledger import Ledger, is_before, moment
from palaver.dialects.shared.rule import CheckedFile, Violation, rule
from palaver.model.message import Message


def _check(file: CheckedFile) -> Iterator[Violation]:
    ledger = Ledger(file)
    if not ledger.has_inbox:
        return
    for each in ledger.own:
        message = each.message
        if message.act == "claim" and message.at:
            first = _standing(ledger, message)
            if first:
                yield each.violation(
                    f"task-{message.task} is already claimed, by {first.sender} at {first.at}",
                    "read all employee logs, and claim another task",
                )


def _standing(ledger: Ledger, claim: Message) -> Message | None:
    """Return an earlier claim of another employee that was neither rejected nor released before this one."""
    for first in ledger.said("claim", task=claim.task):
        if first.sender == claim.sender or moment(first.at) >= moment(claim.at):
            continue
        ends = (
            *ledger.said("refuse", task=claim.task, to=first.sender),
            *ledger.said("release", task=claim.task, by=first.sender),
            *ledger.said("release", task=claim.task, to=first.sender),
        )
        if not any(is_before(first, end) and is_before(end, claim) for end in ends):
            return first
    return None


RULE: Final = rule(__doc__, _check)
