"""`.work/work_orders.jsonl`: the board, one work order a line.

A line that somebody wrote keeps the fields that the bus does not know; fields that differ from the board are
put right. The last line about a work order counts, and is kept where the first one was, with the fields that
only an earlier line has.
"""

from collections.abc import Mapping
from typing import Final

from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, Unreadable
from palaver.dialects.vermas.grammar import OTHER_STATUSES
from palaver.dialects.vermas.records import read_work_order
from palaver.model.board_files import Board, BoardFile, BoardTask, IllegibleError, NameForms, TaskEdit
from palaver.model.clock_text import to_utc
from palaver.model.errors import Refusal
from palaver.model.event import text
from palaver.model.mounted_files import Growth, Mount, Watched
from palaver.model.plain import dumps
from palaver.model.spec import Statuses
from palaver.model.strict_json import NotAnObject, loads_object
from palaver.model.task import Task

STATUSES: Final = Statuses(
    words={
        "open": ("open",),
        "assigned": ("assigned", "claimed", "handed"),
        "in_progress": ("working", "blocked", "delivered", "checking", "rework"),
        "closed": ("done", "cancelled"),
    },
    read_only=OTHER_STATUSES,
)

Fields = dict[str, object]


def work_order(task: Task, needs: tuple[str, ...]) -> Fields:
    """Return a task with the fields of a work order."""
    return {
        "id": task.id,
        "title": task.title,
        "description": task.about,
        "status": STATUSES.word(task.state),
        "priority": task.priority,
        "issue_type": task.kind,
        "assignee": task.holder or None,
        "created_by": task.owner,
        "created_at": task.at,
        "updated_at": task.since,
        "dependencies": [{"depends_on_id": needed, "type": "blocks"} for needed in needs],
        "labels": [],
        "metadata": {"state": task.state, "result": task.result, "reason": task.reason},
    }


class WorkOrderFile(BoardFile):
    """The one file of all work orders."""

    watched = Watched(".work", "work_orders.jsonl", Growth.LOG)
    kind = "WorkOrder"
    is_always_there = True

    def read(self, file: str, content: bytes, mount: Mount) -> tuple[TaskEdit, ...]:
        """Return the edit of a line."""
        del file, mount
        try:
            order = read_work_order(loads_object(content.strip().removeprefix(BYTE_ORDER_MARK)), [])
        except Unreadable as fault:
            raise IllegibleError(fault.problem.code, fault.problem.message) from fault
        except NotAnObject as fault:
            raise IllegibleError("VER001", str(fault)) from fault
        written = dict(order.fields)
        fields: Fields = {"title": order.title} if order.title else {}
        if type(written.get("description")) is str:
            fields["about"] = written["description"]
        if "priority" in written:
            fields["priority"] = order.priority
        if "issue_type" in written or "type" in written:
            fields["kind"] = order.issue_type
        if text(written, "created_by"):
            fields["owner"] = written["created_by"]
        if type(written.get("dependencies")) is list:
            fields["needs"] = _needs(written)
        assignee = str(written.get("assignee") or "") if "assignee" in written else None
        at = to_utc(text(written, "updated_at"))
        return (TaskEdit(task=order.id, status=order.status, assignee=assignee, fields=fields, at=at),)

    def write(self, file: str, content: bytes, board: Board) -> bytes:
        """Return the lines that others wrote, put right, and a line for each task that has none."""
        del file
        lines: list[tuple[str, bytes]] = []
        last: dict[str, bytes] = {}
        for line in content.split(b"\n"):
            task_id, fresh = _corrected(line, board, last)
            if task_id not in last:
                lines.append((task_id, fresh))
            if task_id:
                last[task_id] = fresh
        while lines and not lines[-1][1].strip():
            lines.pop()
        missing = [each for task_id, each in board.tasks.items() if task_id not in last]
        whole = [last.get(task_id, line) for task_id, line in lines]
        whole += [_new_line(each, board.names) for each in missing]
        return b"".join(line + b"\n" for line in whole)


def _needs(fields: Mapping[str, object]) -> list[str]:
    """Return the dependencies of a work order: ids, or objects that name one and say that it blocks."""
    found: list[str] = []
    dependencies = fields.get("dependencies")
    for each in dependencies if type(dependencies) is list else []:
        if type(each) is str:
            found.append(each)
        elif type(each) is dict and each.get("type", "blocks") == "blocks":
            found.append(text(each, "depends_on_id"))
    return [each for each in dict.fromkeys(found) if each]


def _corrected(line: bytes, board: Board, last: Mapping[str, bytes]) -> tuple[str, bytes]:
    """Return the task of a line, and the line as the board has it; a line without a known task stays.

    It gets the fields that only the last line about the same task has.
    """
    try:
        fields = loads_object(line.strip())
    except NotAnObject:
        return "", line
    task_id = str(fields.get("id", "")).lower()
    each = board.tasks.get(task_id)
    if each is None:
        return "", line
    if task_id in last:
        earlier = loads_object(last[task_id].strip())
        left_out = {*fields, *(("type", "issue_type") if "type" in fields or "issue_type" in fields else ())}
        more = {name: value for name, value in earlier.items() if name not in left_out}
        fields, line = {**fields, **more}, dumps({**fields, **more}).encode()
    right = _differing(fields, each, board.names)
    if right or (each.changed and fields.get("updated_at") != each.changed):
        changed = {"updated_at": each.changed} if each.changed else {}
        return task_id, dumps({**fields, **right, **changed}).encode()
    return task_id, line.rstrip(b"\r")


def _new_line(each: BoardTask, names: NameForms) -> bytes:
    said = work_order(each.task, each.needs)
    said["assignee"] = names.shown(each.task.holder) or None
    said["created_by"] = names.shown(each.task.owner)
    said["updated_at"] = each.changed or each.task.at
    # It would change with every move.
    said["metadata"] = {}
    return dumps(said).encode()


def _differing(fields: Fields, each: BoardTask, names: NameForms) -> Fields:
    """Return the fields of a line that differ from the board, with the board's values."""
    task = each.task
    found: Fields = {}
    word = fields.get("status", "open")
    is_right = word in STATUSES.words and STATUSES.state(str(word)) == task.state
    if not is_right and word != STATUSES.word(task.state):
        found["status"] = STATUSES.word(task.state)
    kind = "issue_type" if "issue_type" in fields or "type" not in fields else "type"
    plain = {"title": (task.title, ""), "description": (task.about, ""), "priority": (task.priority, 2)}
    for name, (value, usual) in {**plain, kind: (task.kind, "task")}.items():
        if fields.get(name, usual) != value:
            found[name] = value
    for name, agent in (("assignee", task.holder), ("created_by", task.owner)):
        if _agent(fields.get(name), names) != agent:
            found[name] = names.shown(agent) or None
    if {need.lower() for need in _needs(fields)} != set(each.needs):
        found["dependencies"] = _dependencies(fields, each)
    return found


def _agent(written: object, names: NameForms) -> str:
    try:
        return names.speaker(written) if type(written) is str and written else ""
    except Refusal:
        return ""


def _dependencies(fields: Fields, each: BoardTask) -> list[object]:
    """Return the dependencies of a task; an entry that still holds stays as it was written."""
    written = fields.get("dependencies")
    kept: dict[str, object] = {}
    for entry in written if type(written) is list else []:
        named = entry.get("depends_on_id") if type(entry) is dict else entry
        if type(named) is str and named.lower() in each.needs:
            kept[named.lower()] = entry
    return [kept.get(need, {"depends_on_id": need, "type": "blocks"}) for need in each.needs]
