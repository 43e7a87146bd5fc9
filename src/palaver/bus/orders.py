"""Work orders: tasks as a VerMAS company calls them, and the log as its events."""

from fnmatch import fnmatchcase

from palaver.bus import history, tasks
from palaver.bus.core import Core
from palaver.model.event import Event, text
from palaver.model.limits import ROWS
from palaver.model.statuses import status
from palaver.model.task import ENDED
from palaver.views import board
from palaver.views.asked import Asked
from palaver.views.board import Card

_RENAMED = {"task.opened": "work_order.created", "task.changed": "work_order.updated"}


def order(card: Card) -> dict[str, object]:
    """Return a work order, with the names of its schema."""
    task = card.task
    return {
        "id": task.id,
        "title": task.title,
        "description": task.about,
        "status": status("vermas", task.state),
        "priority": task.priority,
        "issue_type": task.kind,
        "assignee": task.holder or None,
        "created_by": task.owner,
        "created_at": task.at,
        "updated_at": task.since,
        "dependencies": [{"depends_on_id": needed, "type": "blocks"} for needed in card.needs],
        "labels": [],
        "metadata": {"state": task.state, "result": task.result, "reason": task.reason},
    }


def orders(
    core: Core, *, wanted: str = "", kind: str = "", priority: int = -1, ready: bool = False
) -> list[Card]:
    """Return the work orders that fit; closed ones only where they are asked for."""
    cards = tasks.list_tasks(core, ready=ready)
    return [
        card
        for card in cards
        if (status("vermas", card.task.state) == wanted if wanted else card.task.state not in ENDED)
        and kind in ("", card.task.kind)
        and priority in (-1, card.task.priority)
    ]


def events(
    core: Core, *, wanted: str = "*", actor: str = "", task: str = "", limit: int = 50
) -> list[dict[str, object]]:
    """Return the newest events as VerMAS names them, oldest first."""
    found: list[dict[str, object]] = []
    db = core.view.current()
    for event in history.latest(core, limit=ROWS, actor=actor):
        for each in _told(db, event):
            data = each["data"]
            about = data.get("work_order_id", "") if isinstance(data, dict) else ""
            if fnmatchcase(str(each["event_type"]), wanted) and task in ("", about):
                found.append(each)
    return found[-limit:]


def _told(db: Asked, event: Event) -> list[dict[str, object]]:
    """Return what one of our events is to VerMAS: itself, and what it did to a work order."""
    head = {"event_id": event.event_id, "timestamp": event.timestamp, "actor": event.actor}
    told: list[dict[str, object]] = []
    renamed = _RENAMED.get(event.event_type, event.event_type)
    if not event.event_type.startswith("task."):
        told.append({**head, "event_type": renamed, "data": event.data})
    elif event.event_type in _RENAMED:
        more = {name: value for name, value in event.data.items() if name != "task"}
        data = {"work_order_id": text(event.data, "task"), **more}
        told.append({**head, "event_type": renamed, "data": data})
    tried = board.attempt(db, event.seq)
    if tried is None or tried.why or not tried.before or tried.before == tried.after:
        return told
    before, after = status("vermas", tried.before), status("vermas", tried.after)
    changed = {"work_order_id": tried.task, "from_status": before, "to_status": after}
    if before != after:
        told.append({**head, "event_type": "work_order.status_changed", "data": changed})
    if tried.act == "assign":
        given = text(event.data, "to") or next(iter(_listed(event.data.get("to"))), "")
        told.append(
            {
                **head,
                "event_type": "work_order.assigned",
                "data": {"work_order_id": tried.task, "agent": given},
            }
        )
    if after == "closed" != before:
        reason = {"work_order_id": tried.task, "reason": tried.gist or tried.after}
        told.append({**head, "event_type": "work_order.closed", "data": reason})
    return told


def _listed(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
