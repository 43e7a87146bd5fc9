"""OFF110 claim-of-done-task: a task is claimed after the manager has marked it Done.

Why: the claimer read a stale board, and the work would be done twice. The manager answers such a
claim with a REDIRECT.

Bad (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T09:00:00Z] [DONE] task-004 marked Done. Delivered by emp-b2.`):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes

Good (messages/employee-emp-a1.log; messages/manager-inbox.log holds `[2026-02-11T09:00:00Z] [DONE] task-003 marked Done. Delivered by emp-b2.`):

    [2026-02-11T10:00:00Z] [CLAIM] task-004 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.office.ledger import Ledger, moment
from palaver.model.dialect import Parsed, Rule, Source
from palaver.model.finding import Finding
from palaver.model.message import Message

CODE: Final = "OFF110"


def check(source: Source, parsed: Parsed, together: Mapping[str, Parsed]) -> Iterator[Finding]:
    """Yield one finding for each such claim."""
    ledger = Ledger(source, parsed, together)
    for each in ledger.own:
        message = each.message
        if message.act == "claim" and message.at and _is_done(ledger, message):
            yield each.finding(
                CODE,
                f"task-{message.task} was marked Done before it was claimed",
                "read the board again, and claim a task that is Ready",
            )


def _is_done(ledger: Ledger, claim: Message) -> bool:
    moments = [moment(done.at) for done in ledger.said("accept", task=claim.task)]
    reopened = [moment(again.at) for again in ledger.said("rework", task=claim.task)]
    earlier = [when for when in moments if when < moment(claim.at)]
    return bool(earlier) and not any(max(earlier) <= when <= moment(claim.at) for when in reopened)


RULE: Final = Rule(code=CODE, name="claim-of-done-task", manual=__doc__, check=check)
