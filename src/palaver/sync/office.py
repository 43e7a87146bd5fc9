"""`board.json`, `tasks/*.json` and `timeline.log` of an office: the board of the bus, in its words.

Fields that the bus does not know stay as they were written. The timeline is only appended to: one line for
every move since the mount was made.
"""

import os
import re
from typing import Final

from palaver.bus.session import Session
from palaver.dialects.office.layout import manager_of
from palaver.dialects.office.spec import SPEC as OFFICE
from palaver.model.plain import dumps
from palaver.model.strict_json import NotAnObject, loads_object
from palaver.sync.cards import BOARD, task_id
from palaver.sync.intake import keeping
from palaver.sync.intake.events import draft
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.names import Names
from palaver.sync.opening import Unfit, appending
from palaver.sync.render.small_files import Placing
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import sources
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card, Tried

TIMELINE: Final = "timeline.log"
_COLUMNS: Final = ["New", "Ready", "In Progress", "Done"]
# What may be the name of a file, and no other folder's.
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: What a move is called in the logs of an office.
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
# How much of the end of the timeline is looked at for lines that stand there already.
_TAIL_BYTES: Final = 1 << 18


def project_board(core: Session, db: Query, mounted: MountPoint, roster: Roster, report: Report) -> None:
    """Let the board, the cards and the timeline say what the bus says."""
    cards = {card.task.id: card for card in board.cards(db)}
    rendering = _Rendering(Names(mounted, roster), cards, manager_of(mounted.mount))
    placing = Placing(core, mounted, report)
    known = sources.sources(db, mounted.name)
    files = {f"tasks/{each}.json": card for each, card in rendering.named() if _PLAIN.fullmatch(each)}
    if files and not mounted.barred("tasks"):
        os.makedirs(mounted.full("tasks"), mode=os.stat(mounted.path).st_mode & 0o777, exist_ok=True)
        for file, card in files.items():
            found = placing.standing(file, known.get(file))
            if found is not None:
                fields = _fields(found[0])
                fresh = rendering.card(fields, card)
                if fresh != fields:
                    placing.put(file, _pretty(fresh), found)
    found = placing.standing(BOARD, known.get(BOARD))
    if found is not None:
        fields = _fields(found[0])
        fresh = rendering.board(fields)
        if fresh != fields:
            placing.put(BOARD, _pretty(fresh), found)
    _tell(core, db, mounted, rendering, report)


def _fields(content: bytes) -> dict[str, object]:
    try:
        return loads_object(content) if content.strip() else {}
    except NotAnObject:
        # It is in quarantine.
        return {}


def _pretty(fields: dict[str, object]) -> bytes:
    """Return an object as people and models like to read it: a field a line."""
    rows = []
    for name, value in fields.items():
        shown = dumps(value)
        if type(value) is list and value and type(value[0]) is dict:
            shown = "[\n" + ",\n".join(f"    {dumps(each)}" for each in value) + "\n  ]"
        rows.append(f"  {dumps(name)}: {shown}")
    return ("{\n" + ",\n".join(rows) + "\n}\n").encode()


def _ids(listed: object) -> set[str]:
    return {task_id(str(each)).lower() for each in listed} if type(listed) is list else set()


class _Rendering:
    """The tasks of the bus as an office writes them."""

    def __init__(self, names: Names, cards: dict[str, Card], lead: str) -> None:
        self._names = names
        self._cards = cards
        self._lead = lead
        self._layers: dict[str, int] = {}

    def named(self) -> list[tuple[str, Card]]:
        """Return the tasks by their names here, in the order in which they were opened."""
        found = sorted(self._cards.values(), key=lambda card: (card.task.opened, card.task.id))
        return [(self.shown(card.task.id), card) for card in found]

    def shown(self, task: str) -> str:
        """Return what a task is called here."""
        return task if task.startswith("rework-") else f"task-{task}"

    def agent(self, agent: str) -> str:
        """Return what an agent is called here."""
        return self._names.shown(agent)

    def holder(self, card: Card) -> str:
        """Return who has a task: a claim that nobody has approved says nothing here."""
        return self.agent(card.task.holder) if card.task.state != "claimed" else ""

    def card(self, fields: dict[str, object], card: Card) -> dict[str, object]:
        """Return a task card, with what others have written on it."""
        task = card.task
        written = fields.get("approval")
        approval: dict[str, object] = {
            "required": True,
            "approved": False,
            "approvedBy": "",
            "approvedAt": "",
        }
        approval |= written if type(written) is dict else {}
        approval["required"] = task.approval
        approved = bool(task.holder) and task.state not in ("open", "claimed")
        if approval["approved"] is not approved:
            approval["approved"] = approved
            approval["approvedBy"] = self._lead if approved and task.approval else ""
            approval["approvedAt"] = task.since if approved else ""
        needs = [self.shown(each) for each in card.needs]
        said = {
            "id": self.shown(task.id),
            "title": task.title,
            "description": task.about,
            "difficulty": task.difficulty,
            "dependencies": needs,
            "concurrencyLayer": self.layer(task.id),
            "assignee": self.holder(card),
            "restrictedAssignee": self.agent(task.restricted),
            "status": self.status(card, fields.get("status")),
            "approval": approval,
        }
        return self._joined(fields, said)

    def _joined(self, fields: dict[str, object], said: dict[str, object]) -> dict[str, object]:
        """Return fields with what is said put right; what says the same in other words stays as it is."""
        found = dict(fields)
        for name, value in said.items():
            before = fields.get(name)
            same = before == value or (not before and not value and name in fields)
            if name in ("id", "taskId"):
                same = type(before) is str and task_id(before).lower() == task_id(str(value)).lower()
            elif name in ("dependencies", "blockedBy"):
                same = type(before) is list and _ids(before) == _ids(value)
            elif name in ("assignee", "restrictedAssignee") and type(before) is str:
                same = before.lower() == str(value).lower()
            if not same:
                found[name] = value
        return found

    def status(self, card: Card, written: object) -> str:
        """Return the word for a task's state; one that is not taken apart yet stays so."""
        word = OFFICE.statuses.word(card.task.state, ready=not card.waits_for)
        unready = written in ("New", "Decomposing") and not card.needs
        return str(written) if unready and OFFICE.statuses.state(str(written)) == card.task.state else word

    def layer(self, task: str, seen: tuple[str, ...] = ()) -> int:
        """Return how many tasks must be done one after the other before this one."""
        if task not in self._layers:
            card = self._cards.get(task)
            needs = [each for each in card.needs if each not in seen] if card else []
            self._layers[task] = max((self.layer(each, (*seen, task)) + 1 for each in needs), default=0)
        return self._layers[task]

    def board(self, fields: dict[str, object]) -> dict[str, object]:
        """Return the board, with what others have written on it."""
        columns = fields.get("columns")
        columns = columns if type(columns) is list and columns else list(_COLUMNS)
        written = fields.get("cards")
        rows = written if type(written) is list else []
        known = {task_id(str(each.get("taskId"))).lower(): each for each in rows if type(each) is dict}
        cards = []
        for shown, card in self.named():
            task, before = card.task, known.get(card.task.id, {})
            word = self.status(card, before.get("status"))
            said = {
                "taskId": shown,
                "title": task.title,
                "assignee": self.holder(card),
                "difficulty": task.difficulty,
                "concurrencyLayer": self.layer(task.id),
                "status": word if word in columns or word != "Rework" else "In Progress",
                "blockedBy": [self.shown(each) for each in card.waits_for],
                "notes": before.get("notes", ""),
            }
            cards.append(self._joined(before, said))
        order = {each: place for place, each in enumerate(known)}
        cards.sort(key=lambda each: order.get(task_id(str(each["taskId"])).lower(), len(order)))
        return {**fields, "columns": columns, "concurrencyLayers": self._levels(fields), "cards": cards}

    def _levels(self, fields: dict[str, object]) -> dict[str, object]:
        written = fields.get("concurrencyLayers")
        before = written if type(written) is dict else {}
        rows = before.get("layers")
        words = {
            each.get("layer"): each.get("description", "")
            for each in (rows if type(rows) is list else [])
            if type(each) is dict and type(each.get("layer")) is int
        }
        found: dict[int, list[str]] = {}
        for shown, card in self.named():
            found.setdefault(self.layer(card.task.id), []).append(shown)
        layers = [
            {"layer": layer, "taskIds": ids, "description": words.get(layer, "")}
            for layer, ids in sorted(found.items())
        ]
        return {"description": "", **before, "layers": layers}

    def line(self, move: Tried) -> bytes:
        """Return a move as a line of the timeline; a claim that came second is a conflict."""
        event = "Conflict" if move.why else _EVENTS.get(move.act, move.act.capitalize())
        note = (move.why or move.gist or "-").replace("|", "/")
        who = self.agent(move.actor) or "-"
        return f"{move.at} | {who} | {event} | {self.shown(move.task)} | {note}\n".encode()


def _tell(core: Session, db: Query, mounted: MountPoint, rendering: _Rendering, report: Report) -> None:
    """Append the moves that the timeline does not have; what stands there is known by being equal."""
    moves = board.since(db, sources.shown(db, mounted.name))
    if not moves:
        return
    path = mounted.full(TIMELINE)
    core.log.sync()
    try:
        fd, found = appending(path)
    except Unfit as unfit:
        report.trouble(mounted.name, TIMELINE, unfit.why)
        return
    try:
        tail = _tail(path, found.st_size)
        if tail and not tail.endswith(b"\n") and not keeping.is_quiet(found):
            report.unsettled = True
            return
        stands = set(tail.splitlines(keepends=True))
        told = [move for move in moves if not move.why or move.act == "claim"]
        fresh = b"".join(line for line in map(rendering.line, told) if line not in stands)
        if fresh:
            os.write(fd, (b"\n" if tail and not tail.endswith(b"\n") else b"") + fresh)
            os.fsync(fd)
            report.written += 1
    finally:
        os.close(fd)
    said: dict[str, object] = {
        "mount": mounted.name,
        "file": TIMELINE,
        "messages": [],
        "through": moves[-1].seq,
    }
    core.log.append([draft("file.echoed", said)])
    report.events += 1


def _tail(path: str, size: int) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        start = max(0, size - _TAIL_BYTES)
        return os.pread(fd, size - start, start)
    finally:
        os.close(fd)
