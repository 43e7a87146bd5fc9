"""Work orders: what the bus says of a task, with the names of a VerMAS company.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

# Our events about tasks, and what they are called there.
_RENAMED = {"task.opened": "work_order.created", "task.changed": "work_order.updated"}
# What we say of a task, and what it is called there.
_FIELDS = {
    "task": "work_order_id",
    "about": "description",
    "kind": "issue_type",
    "owner": "created_by",
}


def renamed(event_type: str) -> str:
    """Return what an event is called there: one about a task is one about a work order."""
    if not event_type.startswith("task."):
        return event_type
    return _RENAMED.get(event_type) or f"work_order.{event_type.removeprefix('task.')}"


def told(event_type: str, actor: str, said: dict[str, object]) -> dict[str, object]:
    """Return what an event says, with the names of its schema."""
    if not event_type.startswith("task."):
        return said
    named = {_FIELDS.get(name, name): value for name, value in said.items()}
    head = {"work_order_id": named.pop("work_order_id", "")}
    if event_type == "task.opened":
        usual = {"title": "", "description": "", "issue_type": "task", "priority": 2, "created_by": actor}
        return {**head, **usual, **named}
    return {**head, "changes": named} if event_type == "task.changed" else {**head, **named}
