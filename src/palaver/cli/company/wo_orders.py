"""Work orders: tasks as a VerMAS company calls them, and the log as its events."""

from fnmatch import fnmatchcase

from palaver.bus.admin import event_history
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.dialects.vermas.events import event_fields, event_type
from palaver.dialects.vermas.work_orders import STATUSES, work_order
from palaver.model.event import Event, text
from palaver.model.limits import ROWS
from palaver.model.task import ENDED
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card

# What the bus notes about files and its own log is no news to a company.
_OURS = ("file.", "log.")
_SAID = ("task.opened", "task.changed")


def order(card: Card) -> dict[str, object]:
    """Return a work order, with the names of its schema."""
    return work_order(card.task, tuple(card.needs))


def orders(
    session: Session, *, wanted: str = "", kind: str = "", priority: int = -1, ready: bool = False
) -> list[Card]:
    """Return the work orders that fit; closed ones only where they are asked for."""
    cards = moves.list_tasks(session, ready=ready)
    return [
        card
        for card in cards
        if (STATUSES.word(card.task.state) == wanted if wanted else card.task.state not in ENDED)
        and kind in ("", card.task.kind)
        and priority in (-1, card.task.priority)
    ]


def events(
    session: Session, *, wanted: str = "*", actor: str = "", task: str = "", limit: int = 50
) -> list[dict[str, object]]:
    """Return the newest events as VerMAS names them, oldest first."""
    found: list[dict[str, object]] = []
    db = session.view.current()
    for event in event_history.latest(session, limit=ROWS, actor=actor):
        if event.event_type.startswith(_OURS) and not wanted.startswith(_OURS):
            continue
        for each in told(db, event):
            data = each["data"]
            about = data.get("work_order_id", "") if isinstance(data, dict) else ""
            if fnmatchcase(str(each["event_type"]), wanted) and task in ("", about):
                found.append(each)
    return found[-limit:]


def told(db: Query, event: Event) -> list[dict[str, object]]:
    """Return what one of our events is to VerMAS: itself, and what it did to a work order."""
    head = {"event_id": event.event_id, "timestamp": event.timestamp, "actor": event.actor}
    found: list[dict[str, object]] = []
    if not event.event_type.startswith("task.") or event.event_type in _SAID:
        data = event_fields(event.event_type, event.actor, event.data)
        found.append({**head, "event_type": event_type(event.event_type), "data": data})
    tried = board.attempt(db, event.seq)
    if tried is None or tried.why or not tried.before or tried.before == tried.after:
        return found
    before, after = STATUSES.word(tried.before), STATUSES.word(tried.after)
    changed = {"work_order_id": tried.task, "from_status": before, "to_status": after}
    if before != after:
        found.append({**head, "event_type": "work_order.status_changed", "data": changed})
    if tried.act == "assign":
        given = text(event.data, "to") or next(iter(_listed(event.data.get("to"))), "")
        found.append(
            {
                **head,
                "event_type": "work_order.assigned",
                "data": {"work_order_id": tried.task, "agent": given},
            }
        )
    if after == "closed" != before:
        reason = {"work_order_id": tried.task, "reason": tried.gist or tried.after}
        found.append({**head, "event_type": "work_order.closed", "data": reason})
    return found


def _listed(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
