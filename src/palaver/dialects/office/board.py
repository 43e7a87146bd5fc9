"""`board.json`, `tasks/*.json` and `timeline.log` of an office.

A card (`tasks/task-004.json`) is the state of a task. The board may be older than the cards, so only tasks
that are not known yet are taken from it. Both belong to the manager, so their edits are the manager's. Fields
that the bus does not know stay as they were written.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from palaver.dialects.office.grammar import bare_task, called
from palaver.dialects.office.layout import manager_of
from palaver.model.board_files import (
    Board,
    BoardFile,
    BoardMove,
    BoardTask,
    IllegibleError,
    TaskEdit,
    Timeline,
)
from palaver.model.event import number, table, text, texts
from palaver.model.limits import LEVELS
from palaver.model.mounted_files import Growth, Mount, Watched
from palaver.model.plain import dumps, number_of, spelled
from palaver.model.spec import Statuses
from palaver.model.strict_json import NotAnObject, loads_object
from palaver.model.task import with_names

BOARD: Final = "board.json"
STATUSES: Final = Statuses(
    words={
        "Ready": ("open", "claimed"),
        "In Progress": ("working", "assigned", "blocked", "delivered", "checking", "handed"),
        "Rework": ("rework",),
        "Done": ("done", "cancelled"),
    },
    read_only={"New": "open", "Decomposing": "open"},
    waiting="New",
)
_COLUMNS: Final = ("New", "Ready", "In Progress", "Done")
# A task that is not decomposed yet keeps its word.
_UNREADY: Final = ("New", "Decomposing")
# Ids that can be the name of a file in the folder.
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: What a move is called in the timeline.
_EVENTS: Final = {
    "open": "Created",
    "claim": "Claimed",
    "approve": "Approved",
    "refuse": "Rejected",
    "assign": "Assigned",
    "ack": "Started",
    "resume": "Resumed",
    "block": "Blocked",
    "deliver": "Delivered",
    "ready": "Reviewed",
    "accept": "Done",
    "rework": "Rework",
    "handoff": "Handed on",
    "release": "Released",
    "lease": "Released",
    "cancel": "Cancelled",
    "change": "Changed",
}

#: The events that the log of a card has.
_LOGGED: Final = ("Created", "Claimed", "Delivered", "Done", "Blocked", "Rework")

Fields = dict[str, object]


class CardFile(BoardFile):
    """`tasks/task-<id>.json`: one task."""

    watched = Watched("tasks", "*.json", Growth.STATE)
    kind = "Card"

    def files(self, board: Board) -> Iterator[str]:
        """Return the card of every task whose id can be a file name."""
        return (_card_file(task) for task in board.tasks if _FILE_NAME.fullmatch(called(task)))

    def read(self, file: str, content: bytes, mount: Mount) -> tuple[TaskEdit, ...]:
        """Return the edit of a card; without an id it is about the task that the file is named after."""
        fields = _loads(content)
        name = file.rpartition("/")[2].removesuffix(".json")
        return (_edit(fields, text(fields, "id") or name, mount),)

    def write(self, file: str, content: bytes, board: Board) -> bytes:
        """Return the card with the fields that differ from the board put right."""
        task_id = bare_task(file.rpartition("/")[2].removesuffix(".json")).lower()
        each = board.tasks.get(task_id)
        if each is None or _card_file(task_id) != file:
            return content
        return _written(content, lambda fields: _card(fields, each, board))


class BoardOverview(BoardFile):
    """`board.json`: all tasks, in columns and layers."""

    watched = Watched("", BOARD, Growth.STATE)
    kind = "Card"

    def read(self, file: str, content: bytes, mount: Mount) -> tuple[TaskEdit, ...]:
        """Return an edit for each card of the board."""
        del file
        return tuple(
            _edit({**row, "dependencies": row.get("blockedBy")}, task, mount, is_only_for_new=True)
            for row in _rows(_loads(content), "cards")
            if (task := text(row, "taskId"))
        )

    def write(self, file: str, content: bytes, board: Board) -> bytes:
        """Return the board with the cards that differ put right, in the order that others gave them."""
        del file
        return _written(content, lambda fields: _overview(fields, board))


def timeline_line(move: BoardMove, board: Board) -> bytes:
    """Return a move as a line of the timeline; of those without effect only a second claim, as a conflict."""
    if move.why and move.act != "claim":
        return b""
    event = "Conflict" if move.why else _EVENTS.get(move.act, move.act.capitalize())
    note = (with_names(move.why, called) or move.gist or "-").replace("|", "/")
    actor = board.names.shown(move.actor) or "-"
    line = f"{move.at} | {actor} | {event} | {called(move.task)} | {note}"
    return f"{spelled(line, number_of)}\n".encode()


TIMELINE: Final = Timeline(file="timeline.log", line=timeline_line)

# --- reading ---


def _loads(content: bytes) -> Fields:
    try:
        return loads_object(content)
    except NotAnObject as fault:
        raise IllegibleError("not-json", str(fault), may_grow=True) from fault


def _rows(fields: Fields, name: str) -> list[Fields]:
    """Return the objects of a list."""
    rows = fields.get(name)
    return [row for row in rows if type(row) is dict] if type(rows) is list else []


def _edit(card: Fields, task: str, mount: Mount, *, is_only_for_new: bool = False) -> TaskEdit:
    fields: Fields = {}
    for written, name in (("title", "title"), ("description", "about"), ("restrictedAssignee", "restricted")):
        if type(card.get(written)) is str:
            fields[name] = card[written]
    if 0 < number(card, "difficulty") <= LEVELS:
        fields["difficulty"] = card["difficulty"]
    if type(card.get("dependencies")) is list:
        fields["needs"] = [bare_task(each) for each in texts(card, "dependencies")]
    required = table(card, "approval").get("required")
    if type(required) is bool:
        fields["approval"] = required
    return TaskEdit(
        task=bare_task(task),
        status=text(card, "status"),
        assignee=text(card, "assignee") if type(card.get("assignee")) is str else None,
        fields=fields,
        defaults={"approval": True},
        by=manager_of(mount),
        is_only_for_new=is_only_for_new,
    )


# --- writing ---


def _written(content: bytes, show: Callable[[Fields], Fields]) -> bytes:
    try:
        fields = loads_object(content) if content.strip() else {}
    except NotAnObject:
        # The content is in quarantine.
        fields = {}
    fresh = show(fields)
    return content if fresh == fields else _pretty(fresh)


def _pretty(fields: Fields) -> bytes:
    """Return an object with a field in each line."""
    rows = []
    for name, value in fields.items():
        shown = dumps(value)
        if type(value) is list and value and type(value[0]) is dict:
            shown = "[\n" + ",\n".join(f"    {dumps(each)}" for each in value) + "\n  ]"
        rows.append(f"  {dumps(name)}: {shown}")
    return ("{\n" + ",\n".join(rows) + "\n}\n").encode()


def _card_file(task: str) -> str:
    return f"tasks/{called(task)}.json"


def _holder(each: BoardTask, board: Board) -> str:
    """Return the assignee of a task: a claim that is not approved yet is not shown."""
    return board.names.shown(each.task.holder) if each.task.state != "claimed" else ""


def _status(each: BoardTask, written: object) -> str:
    """Return the word for a task's state; a task that is not decomposed yet keeps its word."""
    is_unready = written in _UNREADY and not each.needs and STATUSES.state(str(written)) == each.task.state
    return str(written) if is_unready else STATUSES.word(each.task.state, ready=not each.waits_for)


def _layer(task: str, board: Board, known: dict[str, int], seen: tuple[str, ...] = ()) -> int:
    """Return how many tasks must be done one after the other before this one."""
    if task not in known:
        each = board.tasks.get(task)
        needs = [need for need in each.needs if need not in seen] if each else []
        known[task] = max((_layer(need, board, known, (*seen, task)) + 1 for need in needs), default=0)
    return known[task]


def _card(fields: Fields, each: BoardTask, board: Board) -> Fields:
    task = each.task
    said: Fields = {
        "id": called(task.id),
        "title": task.title,
        "description": task.about,
        "difficulty": task.difficulty,
        "dependencies": [called(need) for need in each.needs],
        "concurrencyLayer": _layer(task.id, board, {}),
        "assignee": _holder(each, board),
        "restrictedAssignee": board.names.shown(task.restricted),
        "status": _status(each, fields.get("status")),
        "approval": _approval(table(fields, "approval"), each, board),
        "logs": _logs(fields, each, board),
    }
    return _joined(fields, said)


def _logs(fields: Fields, each: BoardTask, board: Board) -> list[Fields]:
    """Return the log of a card: what others wrote there, and the moves that are missing in it."""
    written = _rows(fields, "logs")
    known = Counter((text(row, "by").lower(), text(row, "event")) for row in written)
    missing: list[Fields] = []
    for move in board.moves(each.task.id):
        by, event = board.names.shown(move.actor), _EVENTS.get(move.act, "")
        if move.why or event not in _LOGGED:
            continue
        if known[by.lower(), event] > 0:
            known[by.lower(), event] -= 1
        else:
            missing.append({"at": move.at, "by": by, "event": event, "details": move.gist})
    return [*written, *missing]


def _approval(written: Fields, each: BoardTask, board: Board) -> Fields:
    task = each.task
    found: Fields = {"required": True, "approved": False, "approvedBy": "", "approvedAt": ""}
    found |= written | {"required": task.approval}
    approved = bool(task.holder) and task.state not in ("open", "claimed")
    if found["approved"] is not approved:
        found["approved"] = approved
        found["approvedBy"] = manager_of(board.mount) if approved and task.approval else ""
        found["approvedAt"] = task.since if approved else ""
    return found


def _joined(fields: Fields, said: Fields) -> Fields:
    """Return fields with the board's values; a value that says the same in other words stays as it is."""
    return {**fields, **{name: value for name, value in said.items() if not _is_same(name, fields, value)}}


def _is_same(name: str, fields: Fields, value: object) -> bool:
    before = fields.get(name)
    if name in ("id", "taskId"):
        return type(before) is str and bare_task(before).lower() == bare_task(str(value)).lower()
    if name in ("dependencies", "blockedBy"):
        return type(before) is list and _ids(before) == _ids(value)
    if name in ("assignee", "restrictedAssignee") and type(before) is str:
        return before.lower() == str(value).lower()
    return before == value or (not before and not value and name in fields)


def _ids(listed: object) -> set[str]:
    return {bare_task(str(each)).lower() for each in listed} if type(listed) is list else set()


def _overview(fields: Fields, board: Board) -> Fields:
    columns = fields.get("columns")
    columns = columns if type(columns) is list and columns else list(_COLUMNS)
    known = {bare_task(str(row.get("taskId"))).lower(): row for row in _rows(fields, "cards")}
    layers: dict[str, int] = {}
    cards = []
    for task_id, each in board.tasks.items():
        before = known.get(task_id, {})
        word = _status(each, before.get("status"))
        said: Fields = {
            "taskId": called(task_id),
            "title": each.task.title,
            "assignee": _holder(each, board),
            "difficulty": each.task.difficulty,
            "concurrencyLayer": _layer(task_id, board, layers),
            "status": word if word in columns or word != "Rework" else "In Progress",
            "blockedBy": [called(need) for need in each.waits_for],
            "notes": before.get("notes", ""),
        }
        cards.append(_joined(before, said))
    order = {task_id: place for place, task_id in enumerate(known)}
    cards.sort(key=lambda card: order.get(bare_task(str(card["taskId"])).lower(), len(order)))
    return {**fields, "columns": columns, "concurrencyLayers": _layers(fields, board, layers), "cards": cards}


def _layers(fields: Fields, board: Board, layers: dict[str, int]) -> Fields:
    before = table(fields, "concurrencyLayers")
    rows = _rows(before, "layers")
    words = {row["layer"]: row.get("description", "") for row in rows if type(row.get("layer")) is int}
    found: dict[int, list[str]] = {}
    for task_id in board.tasks:
        found.setdefault(layers[task_id], []).append(called(task_id))
    return {
        "description": "",
        **before,
        "layers": [
            {"layer": layer, "taskIds": ids, "description": words.get(layer, "")}
            for layer, ids in sorted(found.items())
        ],
    }
