"""`.work/events.jsonl`: the events of the bus, with the names that vermas has for them."""

from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.render import native_words
from palaver.dialects.vermas.work_orders import STATUSES
from palaver.model.board_files import BoardMove, EventEffects
from palaver.model.event import Event, text, texts
from palaver.model.message import from_event
from palaver.model.names import BUS
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


def render_event(event: Event, effects: EventEffects) -> bytes:
    """Return the lines of an event."""
    return b"".join(f"{dumps(line)}\n".encode() for line in company_events(event, effects))


def company_events(event: Event, effects: EventEffects) -> list[dict[str, object]]:
    """Return what an event of the bus is to the company: itself, and what it did to mail and work orders.

    The first has the id of the event; the others have a number behind it, and name it as their cause.
    """
    ids = texts(event.data, "message_ids")
    if ids and event.event_type.startswith("mail."):
        rest = {key: value for key, value in event.data.items() if key not in ("message_ids", "chars")}
        parts = [f".{place}" if len(ids) > 1 else "" for place in range(len(ids))]
        return [
            _line(event, event.event_type, {"message_id": each, **rest}, part)
            for each, part in zip(ids, parts, strict=True)
        ]
    is_mail = event.event_type == "mail.sent"
    data = _sent(event) if is_mail else event_fields(event.event_type, event.actor, event.data)
    message_id = text(event.data, "message_id")
    caused: list[tuple[str, dict[str, object]]] = [
        ("mail.delivered", {"message_id": message_id, "recipient": agent}) for agent in effects.delivered
    ]
    if effects.move is not None:
        caused += _moved(effects.move)
    return [
        _line(event, event_type(event.event_type), data),
        *(_line(event, kind, about, f".{place}") for place, (kind, about) in enumerate(caused, 1)),
    ]


def _moved(move: BoardMove) -> list[tuple[str, dict[str, object]]]:
    """Return what a move did to a work order; nothing if it had no effect."""
    if move.why or not move.before or move.before == move.after:
        return []
    about: dict[str, object] = {"work_order_id": move.task}
    before, after = STATUSES.word(move.before), STATUSES.word(move.after)
    found: list[tuple[str, dict[str, object]]] = []
    if before != after:
        found.append(("work_order.status_changed", {**about, "from_status": before, "to_status": after}))
    if move.agent:
        found.append(("work_order.assigned", {**about, "agent": move.agent}))
    if after == "closed" != before:
        found.append(("work_order.closed", {**about, "reason": move.gist or move.after}))
    return found


def _sent(event: Event) -> dict[str, object]:
    to = texts(event.data, "to")
    found: dict[str, object] = {
        "message_id": text(event.data, "message_id"),
        "from": text(event.data, "from"),
        "to": to[0] if len(to) == 1 else to,
        "subject": native_words(from_event(event))[1],
    }
    if kind := grammar.TYPE_OF_ACT.get(text(event.data, "act")):
        found["message_type"] = kind.name
    if task := text(event.data, "task"):
        found["work_order_id"] = task
    return found


def _line(event: Event, kind: str, data: dict[str, object], part: str = "") -> dict[str, object]:
    is_caused = kind not in (event.event_type, event_type(event.event_type))
    fields: dict[str, object] = {
        "event_id": event.event_id + part,
        "event_type": kind,
        "timestamp": event.timestamp,
        "actor": BUS if kind == "mail.delivered" else event.actor,
        # The first message of a conversation is what the others refer to.
        "correlation_id": event.correlation_id or text(event.data, "message_id"),
        "caused_by": event.event_id if is_caused else event.caused_by,
    }
    optional = ("correlation_id", "caused_by")
    kept = {name: value for name, value in fields.items() if value or name not in optional}
    return {**kept, "data": data}
