"""OFF112 approval-without-claim: a task is approved for an employee that had not claimed it.

Why: workers are never assigned in advance; they claim. An approval without a claim goes to an employee that
does not wait for it. Checked only together with that employee's log.

Bad (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | I am here.`):

    [2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.

Good (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes`):

    [2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.office.ledger import Ledger, is_before
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "OFF112"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such approval."""
    ledger = Ledger(source, parsed, together)
    for each in ledger.own:
        message = each.message
        if message.act != "approve" or not message.at:
            continue
        for worker in message.to:
            claims = ledger.said("claim", task=message.task, by=worker)
            if ledger.has_log(worker) and not any(is_before(claim, message) for claim in claims):
                yield each.finding(
                    CODE,
                    f"task-{message.task} is approved for {worker}, which has not claimed it",
                    "approve the claim of an employee that made one",
                )


RULE: Final = Rule(code=CODE, name="approval-without-claim", manual=__doc__, check=check)
