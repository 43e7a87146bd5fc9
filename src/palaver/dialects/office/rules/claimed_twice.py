"""OFF108 claimed-twice: a task is claimed that another employee has already claimed.

Why: a worker reads all employee logs before it claims, and leaves a task alone that another has claimed. The
earlier claim wins; this one will get a REJECT. Checked only together with the manager's inbox, where the first
claim may have been rejected.

Bad (messages/employee-emp-b2.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`; messages/manager-inbox.log holds `[2026-02-11T09:00:00Z] [REPLY] To all: Begin.`):

    [2026-02-11T10:01:00Z] [CLAIM] task-004 | title: Home Page | by: emp-b2 | difficulty: 3 | deps-met: yes

Good (messages/employee-emp-b2.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`; messages/manager-inbox.log holds `[2026-02-11T10:00:30Z] [REJECT] task-004 claim by emp-a1 rejected: level too low.`):

    [2026-02-11T10:01:00Z] [CLAIM] task-004 | title: Home Page | by: emp-b2 | difficulty: 3 | deps-met: yes
"""

from typing import Final

from palaver.dialects.office.message_index import MessageIndex, lasts, moment
from palaver.dialects.shared.rule import CheckedFile, Violations
from palaver.model.message import Message

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    ledger = MessageIndex(file)
    if not ledger.has_inbox:
        return
    for each in ledger.written("claim"):
        if first := _standing(ledger, each.message):
            what = f"task-{each.message.task} is already claimed, by {first.sender} at {first.at}"
            yield each.violation(what, "read all employee logs, and claim another task")


def _standing(ledger: MessageIndex, claim: Message) -> Message | None:
    """Return an earlier claim of another employee that was neither rejected nor released before this one."""
    for first in ledger.said("claim", task=claim.task):
        if first.sender == claim.sender or moment(first.at) >= moment(claim.at):
            continue
        ends = (
            *ledger.said("refuse", "release", task=claim.task, to=first.sender),
            *ledger.said("release", task=claim.task, by=first.sender),
        )
        if lasts(first, claim, ends):
            return first
    return None
