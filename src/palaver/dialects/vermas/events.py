"""`.work/events.jsonl`: the events of the bus, with the names that vermas has for them."""

from palaver.dialects.vermas import grammar
from palaver.model.event import Event, text, texts
from palaver.model.plain import dumps

# Events about tasks are events about work orders.
_EVENT_TYPES = {"task.opened": "work_order.created", "task.changed": "work_order.updated"}
_FIELDS = {
    "task": "work_order_id",
    "about": "description",
    "kind": "issue_type",
    "owner": "created_by",
}


def event_type(name: str) -> str:
    """Return what an event of the bus is called."""
    if not name.startswith("task."):
        return name
    return _EVENT_TYPES.get(name) or f"work_order.{name.removeprefix('task.')}"


def event_fields(name: str, actor: str, data: dict[str, object]) -> dict[str, object]:
    """Return the data of an event of the bus, with the field names of a work order."""
    if not name.startswith("task."):
        return data
    named = {_FIELDS.get(key, key): value for key, value in data.items()}
    head = {"work_order_id": named.pop("work_order_id", "")}
    if name == "task.opened":
        usual = {"title": "", "description": "", "issue_type": "task", "priority": 2, "created_by": actor}
        return {**head, **usual, **named}
    return {**head, "changes": named} if name == "task.changed" else {**head, **named}


def render_event(event: Event) -> bytes:
    """Return the line of an event, or its lines: one for each message that it is about."""
    ids = texts(event.data, "message_ids")
    if ids and event.event_type.startswith("mail."):
        rest = {key: value for key, value in event.data.items() if key not in ("message_ids", "chars")}
        parts = [f".{place}" if len(ids) > 1 else "" for place in range(len(ids))]
        return b"".join(
            _line(event, {"message_id": each, **rest}, part) for each, part in zip(ids, parts, strict=True)
        )
    if event.event_type == "mail.sent":
        return _line(event, _sent(event))
    return _line(event, event_fields(event.event_type, event.actor, event.data))


def _sent(event: Event) -> dict[str, object]:
    to = texts(event.data, "to")
    found: dict[str, object] = {
        "message_id": text(event.data, "message_id"),
        "from": text(event.data, "from"),
        "to": to[0] if len(to) == 1 else to,
        "subject": text(event.data, "subject"),
    }
    if kind := grammar.TYPE_OF_ACT.get(text(event.data, "act")):
        found["message_type"] = kind.name
    if task := text(event.data, "task"):
        found["work_order_id"] = task
    return found


def _line(event: Event, data: dict[str, object], part: str = "") -> bytes:
    fields: dict[str, object] = {
        "event_id": event.event_id + part,
        "event_type": event_type(event.event_type),
        "timestamp": event.timestamp,
        "actor": event.actor,
        "correlation_id": event.correlation_id,
        "caused_by": event.caused_by,
    }
    optional = ("correlation_id", "caused_by")
    kept = {name: value for name, value in fields.items() if value or name not in optional}
    return f"{dumps({**kept, 'data': data})}\n".encode()
