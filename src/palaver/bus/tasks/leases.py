"""Leases: a claim expires when nothing is heard of it. Its holder is warned before, and told afterwards.

A lease is patrolled time (docs/adr/0025): neither the time of day nor a sleep of the machine ends one. The
patrol ends leases; without a patrol, a command that asks about tasks does it in passing. A clock only says
that it is time; the end of a lease is an event, so every fold agrees. The event names the last sign of life
that was known, and has no effect if there was another one meanwhile.
"""

from typing import NamedTuple

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.session import Session, draft
from palaver.bus.tasks.clock_file import advance_clock
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.task import LEASED
from palaver.views.query import Query

# The holder is warned after this share of the lease.
_WARN = 0.75


class Lease(NamedTuple):
    """A claim that can expire: its task and holder, and the last sign of life."""

    task: str
    holder: str
    fence: int
    #: The event of the last sign of life.
    heard: int
    seconds: int
    warned: bool

    def due(self, age: float) -> str:
        """Return what is due so long after the last sign of life: `lease`, its end; `warn`; or nothing."""
        if age >= self.seconds:
            return "lease"
        return "warn" if age >= _WARN * self.seconds and not self.warned else ""

    def draft_due(self, due: str) -> Draft:
        """Return the event of what is due; its key makes sure that it is logged once."""
        key = f"lease:{self.task}:{self.fence}:{self.heard}"
        if due == "lease":
            data: dict[str, object] = {"task": self.task, "fence": self.fence, "heard": self.heard}
            return draft("task.lease_ended", BUS, data, key=key)
        body = f"Your claim of {self.task} ends after {self.seconds} s without news, and most of that"
        body += " has passed: say how it goes."
        meta: dict[str, object] = {"rule": "lease-ends"}
        warning = Message(
            sender=BUS, to=[self.holder], act="nudge", task=self.task, body=body, meta=meta, auth="token"
        )
        return mail_sent(warning, key=f"{key}:ends")


def running(db: Query) -> dict[str, Lease]:
    """Return the leases that run, by task."""
    marks = ", ".join("?" * len(LEASED))
    rows = db.execute(
        "select t.id, t.holder, t.fence, t.heard, t.lease, k.seq is not null from task t "
        "left join key k on k.actor = ? and "
        "k.key = 'lease:' || t.id || ':' || t.fence || ':' || t.heard || ':ends' "
        f"where t.state in ({marks}) and t.lease > 0",
        (BUS, *LEASED),
    )
    return {str(row[0]): Lease._make(row) for row in rows}


def sweep(session: Session) -> int:
    """End and warn of leases as a patrol would, if none ran lately; return how many."""
    leases = running(session.view)
    if not leases:
        return 0
    clock = advance_clock(session)
    if clock is None:
        return 0
    due = {each: rule for each in leases.values() if (rule := each.due(clock.age(each.heard)))}
    since = session.view.seq
    session.log.append([each.draft_due(rule) for each, rule in due.items()], since=since)
    session.wakeups.ring(sorted({each.holder for each, rule in due.items() if rule == "warn"}))
    return len(due)
