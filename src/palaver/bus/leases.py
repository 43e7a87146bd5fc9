"""Leases: a claim ends by itself when nothing is heard of it; its holder is told before, and when it does.

A clock only ever says that it is time; that a lease has ended is an event, so every fold agrees. It names
the last sign of life that was known: if there was another one meanwhile, it has no effect.

A bare module: `palaver task` imports it (see docs/adr/0006).
"""

from palaver.bus.core import Core, draft
from palaver.bus.sending import mail_sent
from palaver.log.stamp import now, read
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.task import LEASED, Task
from palaver.views import board

# At this share of the lease its holder is told that it runs out.
_WARN = 0.75


def age(then: str, at: str) -> float:
    """Return the seconds between two times as the log writes them; 0 where one cannot be read."""
    try:
        return max(0.0, read(at) - read(then))
    except ValueError:
        return 0.0


def is_over(task: Task, at: str) -> bool:
    """Tell whether a claim has outlived its lease."""
    return task.state in LEASED and task.lease > 0 and age(task.touched, at) > task.lease


def end(core: Core, task: Task) -> None:
    """Say that a lease has ended."""
    data: dict[str, object] = {"task": task.id, "fence": task.fence, "touched": task.touched}
    [(since,)] = core.view.current().execute("select seq from place")
    key = f"lease:{task.id}:{task.fence}:{task.touched}"
    core.log.append([draft("task.lease_ended", BUS, data, key=key)], since=since)


def sweep(core: Core) -> int:
    """Warn who is about to lose a claim, end what is over; return how many of both."""
    at = now()
    db = core.view.current()
    held = [card.task for card in board.cards(db, states=LEASED) if card.task.lease > 0]
    done = 0
    for task in held:
        if is_over(task, at):
            end(core, task)
            done += 1
        elif age(task.touched, at) > _WARN * task.lease:
            done += _warn(core, task)
    return done


def _warn(core: Core, task: Task) -> int:
    key = f"lease:{task.id}:{task.fence}:{task.touched}:ends"
    db = core.view.current()
    if db.execute("select 1 from key where actor = ? and key = ?", (BUS, key)):
        return 0
    message = Message(
        sender=BUS,
        to=[task.holder],
        act="nudge",
        task=task.id,
        body=f"Your claim of {task.id} ends {task.lease} s after {task.touched}, unless you say how it goes.",
        meta={"rule": "lease-ends"},
        auth="token",
    )
    [(since,)] = db.execute("select seq from place")
    core.log.append([mail_sent(message, key=key)], since=since)
    core.bells.ring([task.holder])
    return 1
