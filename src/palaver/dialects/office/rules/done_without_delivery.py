"""OFF113 done-without-delivery: a task is marked Done before its worker delivered it.

Why: tasks that depend on this one become Ready, and other workers build on work that does not exist. Checked
only together with that employee's log.

Bad (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T11:00:00Z] [INFO] by: emp-a1 | Almost there.`):

    [2026-02-11T11:05:00Z] [DONE] task-004 marked Done. Delivered by emp-a1.

Good (messages/manager-inbox.log; messages/employee-emp-a1.log holds `[2026-02-11T11:00:00Z] [DELIVERY] task-004 | by: emp-a1 | files: home.html | criteria-met: all`):

    [2026-02-11T11:05:00Z] [DONE] task-004 marked Done. Delivered by emp-a1.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.office.ledger import Ledger, is_before
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding

CODE: Final = "OFF113"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such line."""
    ledger = Ledger(source, parsed, together)
    for each in ledger.own:
        message = each.message
        if message.act != "accept" or not message.at:
            continue
        for worker in message.to:
            handed_in = ledger.said("deliver", task=message.task, by=worker)
            if ledger.has_log(worker) and not any(is_before(delivery, message) for delivery in handed_in):
                yield each.finding(
                    CODE,
                    f"task-{message.task} is marked Done, but {worker} has not delivered it",
                    "wait for the DELIVERY",
                )


RULE: Final = Rule(code=CODE, name="done-without-delivery", manual=__doc__, check=check)
