"""Leases: a claim ends by itself when nothing is heard of it; its holder is told before, and when it does.

A lease is watched time (docs/adr/0025): no time of day ends one, and no sleep of the machine. The patrol ends
them; where nobody patrols, whoever asks about tasks looks in passing. A clock only ever says that it is
time; that a lease has ended is an event, so every fold agrees. It names the last sign of life that was
known: if there was another one meanwhile, it has no effect.
"""

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.session import Session, draft
from palaver.model.event import Draft
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.task import LEASED
from palaver.views.query import Query

# At this share of the lease its holder is told that it runs out.
_WARN = 0.75


class Lease:
    """A claim that runs: whose, by which fence, for how long after which event, and whether he was told."""

    __slots__ = ("fence", "heard", "holder", "seconds", "task", "touched", "warned")

    def __init__(self, row: tuple[str, str, int, str, int, int, int]) -> None:
        """Take a row."""
        self.task, self.holder, self.fence, self.touched, self.heard, self.seconds = row[:6]
        self.warned = bool(row[6])

    @property
    def key(self) -> str:
        """Return under which key its end stands in the log once."""
        return f"lease:{self.task}:{self.fence}:{self.touched}"

    def due(self, age: float) -> str:
        """Return what is due so long after the last sign of life: `lease`, its end; `warn`; or nothing."""
        if age >= self.seconds:
            return "lease"
        return "warn" if age >= _WARN * self.seconds and not self.warned else ""

    def drafted(self, due: str) -> Draft:
        """Return what is due as an event."""
        return self.ended() if due == "lease" else self.ending()

    def ended(self) -> Draft:
        """Return the event of its end."""
        data: dict[str, object] = {"task": self.task, "fence": self.fence, "touched": self.touched}
        return draft("task.lease_ended", BUS, data, key=self.key)

    def ending(self) -> Draft:
        """Return what its holder is told before."""
        said = (
            f"Your claim of {self.task} ends when nothing is heard of it for {self.seconds} s,"
            " and most of that has passed: say how it goes."
        )
        message = Message(
            sender=BUS,
            to=[self.holder],
            act="nudge",
            task=self.task,
            body=said,
            meta={"rule": "lease-ends"},
            auth="token",
        )
        return mail_sent(message, key=f"{self.key}:ends")


def running(db: Query) -> dict[str, Lease]:
    """Return the leases that run, by task."""
    marks = ", ".join("?" * len(LEASED))
    rows = db.execute(
        "select t.id, t.holder, t.fence, t.touched, t.heard, t.lease, k.seq is not null from task t "
        "left join key k on k.actor = ? and "
        "k.key = 'lease:' || t.id || ':' || t.fence || ':' || t.touched || ':ends' "
        f"where t.state in ({marks}) and t.lease > 0",
        (BUS, *LEASED),
    )
    return {str(row[0]): Lease(row) for row in rows}


def sweep(session: Session) -> int:
    """Do for leases what a patrol would, where none came by lately; return how much that was."""
    leases = running(session.view)
    if not leases:
        return 0
    from palaver.bus.tasks.clock_file import advance_clock

    clock = advance_clock(session)
    if clock is None:
        return 0
    due = {each: rule for each in leases.values() if (rule := each.due(clock.age(each.heard)))}
    [(since,)] = session.view.execute("select seq from place")
    session.log.append([each.drafted(rule) for each, rule in due.items()], since=since)
    session.wakeups.ring(sorted({each.holder for each, rule in due.items() if rule == "warn"}))
    return len(due)
