"""A line of `work_orders.jsonl` as a wish: how somebody wants a task to be."""

from palaver.bus.tasks import moves
from palaver.dialects.vermas.values import WorkOrder
from palaver.model.clock_text import to_utc
from palaver.model.event import text
from palaver.sync.names import Names
from palaver.sync.wishes import Wish


def wished(order: WorkOrder, names: Names) -> Wish:
    """Return what a line says of a task, with the names that the bus has for it; refuse what cannot be."""
    written = order.fields
    said: dict[str, object] = {"title": order.title} if order.title else {}
    if type(written.get("description")) is str:
        said["about"] = written["description"]
    if "priority" in written:
        said["priority"] = order.priority
    if "issue_type" in written or "type" in written:
        said["kind"] = order.issue_type
    if type(written.get("created_by")) is str and written["created_by"]:
        said["owner"] = names.speaker(str(written["created_by"]))
    if type(written.get("dependencies")) is list:
        said["needs"] = needs(written["dependencies"])
    moves.sayable(said)
    assignee = written.get("assignee")
    return Wish(
        task=moves.task_name(order.id),
        status=order.status,
        dialect="vermas",
        assignee=None if "assignee" not in written else names.speaker(str(assignee)) if assignee else "",
        fields=said,
        at=to_utc(text(dict(written), "updated_at")),
    )


def needs(dependencies: object) -> list[str]:
    """Return what a work order waits for: ids, or objects that name one and say that it blocks."""
    found: list[str] = []
    for each in dependencies if type(dependencies) is list else []:
        if type(each) is str:
            found.append(each)
        elif type(each) is dict and each.get("type", "blocks") == "blocks":
            found.append(text(each, "depends_on_id"))
    return [moves.task_name(each) for each in dict.fromkeys(found) if each]
