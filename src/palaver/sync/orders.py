"""What a line of `work_orders.jsonl` says that the board does not know: a new task, a change, a move.

Nobody signs such a line. What a holder does is taken as his, the rest as the owner's; then it is judged like
every other move, and a line that had no effect is written anew as the board has it.
"""

from typing import Final

from palaver.bus import tasks
from palaver.bus.sending import mail_sent
from palaver.dialects.vermas.times import utc
from palaver.dialects.vermas.values import WorkOrder
from palaver.model.errors import Refusal
from palaver.model.event import Draft, text
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.statuses import state_of, status
from palaver.model.task import ENDED, Task
from palaver.sync.knowing import Known
from palaver.sync.names import Names
from palaver.sync.pieces import draft
from palaver.views.board import Card
from palaver.views.policy import Policy
from palaver.views.roster import Roster

_OWNER, _HOLDER, _ASSIGNEE = "owner", "holder", "assignee"
#: What brings a task from one state to another, and whose act that is; "" is any state that is not named.
_ACTS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "open": {"done": ("rework", _OWNER), "cancelled": ("resume", _OWNER), "": ("release", _OWNER)},
    "assigned": {"": ("assign", _OWNER)},
    "working": {
        "open": ("claim", _ASSIGNEE),
        "claimed": ("approve", _OWNER),
        "blocked": ("resume", _HOLDER),
        "done": ("rework", _OWNER),
        "cancelled": ("resume", _OWNER),
        "": ("ack", _HOLDER),
    },
    "checking": {"open": ("deliver", _ASSIGNEE), "": ("deliver", _HOLDER)},
    "blocked": {"open": ("block", _ASSIGNEE), "": ("block", _HOLDER)},
    "done": {"": ("accept", _OWNER)},
}


class Said:
    """What becomes of one line."""

    __slots__ = ("agents", "drafts", "odd")

    def __init__(self) -> None:
        """Start with nothing."""
        self.drafts: list[Draft] = []
        #: Who is named, and so lives here.
        self.agents: list[str] = []
        #: What of it does not count, and why.
        self.odd: list[str] = []


class Orders:
    """Makes events of the work orders of one file."""

    __slots__ = ("_history", "_key", "_known", "_names", "_roster", "_src")

    def __init__(self, names: Names, known: Known, roster: Roster, *, history: bool) -> None:
        """Take the names of the mount, what is known, who there is, and whether the mount is new."""
        self._names = names
        self._known = known
        self._roster = roster
        self._history = history
        self._src: dict[str, object] = {}
        self._key = ""

    def said(self, order: WorkOrder, src: dict[str, object], key: str) -> Said:
        """Return what a line says anew; `src` is where it stands, `key` is made from that."""
        found = Said()
        self._key = key
        self._src = {**src, "len": 0, "history": 1} if self._history else {**src, "len": 0}
        try:
            task_id = tasks.task_name(order.id)
            fields = self._fields(order, found)
        except Refusal as refused:
            found.odd.append(refused.why or refused.what)
            return found
        card = self._known.card(task_id)
        if card is None:
            self._open(task_id, order, fields, found)
        else:
            self._change(card, order, fields, found)
        return found

    # --- what a line says ---

    def _fields(self, order: WorkOrder, found: Said) -> dict[str, object]:
        """Return what a line says of a task, with the names that the bus has for it."""
        said: dict[str, object] = {"title": order.title} if order.title else {}
        written = order.fields
        if type(written.get("description")) is str:
            said["about"] = written["description"]
        if "priority" in written:
            said["priority"] = order.priority
        if "issue_type" in written or "type" in written:
            said["kind"] = order.issue_type
        for named, what in (("created_by", "owner"), ("assignee", "assignee")):
            agent = written.get(named)
            if named in written and (agent is None or type(agent) is str):
                said[what] = self._names.speaker(agent) if agent else ""
                found.agents += [str(said[what])] if agent else []
        if type(written.get("dependencies")) is list:
            said["needs"] = needs(written["dependencies"])
        tasks.sayable({name: value for name, value in said.items() if name != "assignee"})
        return said

    def _open(self, task_id: str, order: WorkOrder, fields: dict[str, object], found: Said) -> None:
        assignee = str(fields.pop("assignee", ""))
        state = state_of("vermas", order.status) or "open"
        told = {"owner": "", **fields, "task": task_id, "title": order.title}
        if self._history:
            told |= {"state": state, "holder": assignee}
        # Whoever wrote it: that it is open is all that it says.
        found.drafts.append(draft("task.opened", told, self._src, key=f"{self._key}:open"))
        task = Task(task_id, title=order.title or task_id, owner=str(told["owner"]))
        task.about = str(fields.get("about", ""))
        if self._history:
            task.state, task.holder = state, assignee
        else:
            self._move(task, order, state, assignee, found)
        needed = fields.get("needs")
        self._known.cards[task_id] = Card(task, dict.fromkeys(needed, "") if type(needed) is list else {})

    def _change(self, card: Card, order: WorkOrder, fields: dict[str, object], found: Said) -> None:
        task = card.task
        assignee = str(fields.pop("assignee", task.holder))
        needed = fields.pop("needs", None)
        fresh = {name: value for name, value in fields.items() if value != getattr(task, name)}
        if type(needed) is list:
            more = [each for each in needed if each not in card.needs]
            fewer = [each for each in card.needs if each not in needed]
            fresh |= ({"needs": more} if more else {}) | ({"needs_not": fewer} if fewer else {})
        state = state_of("vermas", order.status)
        stands = state in ("", task.state) or order.status == status("vermas", task.state)
        if not fresh and stands and assignee == task.holder:
            return
        at = self._known.changed(task.id)
        if at and text(dict(order.fields), "updated_at") and utc(text(dict(order.fields), "updated_at")) < at:
            found.odd.append(f"{task.id} has changed at {at}, and the line is older: it has no effect")
            return
        if fresh and Policy(self._roster).text("identity") == "strict":
            found.odd.append(f"the policy is strict, and nothing proves who changed {task.id}")
        elif fresh:
            data = {"task": task.id, **fresh}
            actor = {"actor": task.owner, "auth": "claimed"} if task.owner else {}
            found.drafts.append(draft("task.changed", data, self._src, key=f"{self._key}:change", **actor))
            for name, value in fields.items():
                setattr(task, name, value)
        self._move(task, order, "" if stands else state, assignee, found)

    # --- the move that a status means ---

    def _move(self, task: Task, order: WorkOrder, state: str, assignee: str, found: Said) -> None:
        """Add the move that brings a task where a line says that it is."""
        act, whose = "", _OWNER
        if state not in ("", task.state):
            acts = _ACTS[state]
            act, whose = acts.get(task.state) or acts[""]
        elif assignee != task.holder and task.state not in ENDED:
            act = "assign" if assignee else "release"
        if not act or (act == "release" and task.state == "open"):
            return
        senders = {_OWNER: task.owner or BUS, _HOLDER: task.holder, _ASSIGNEE: assignee}
        sender = senders[whose]
        if not sender or (act == "assign" and not assignee):
            found.odd.append(f"{task.id} is {order.status}, and the line does not say whose it is")
            return
        to = [assignee] if act == "assign" else self._concerned(task, sender)
        body = f"{order.id} is {order.status} now, says {self._src['file']}."
        if act == "assign":
            body = task.title or body
        message = Message(sender=sender, to=to, act=act, body=body, subject=body, task=task.id)
        moved = mail_sent(message, key=f"{self._key}:move")
        moved.src = self._src
        found.drafts.append(moved)
        task.state, task.holder = state or task.state, assignee

    def _concerned(self, task: Task, sender: str) -> list[str]:
        return [each for each in dict.fromkeys([task.owner, task.holder]) if each and each != sender]


def needs(dependencies: object) -> list[str]:
    """Return what a work order waits for: ids, or objects that name one and say that it blocks."""
    found: list[str] = []
    for each in dependencies if type(dependencies) is list else []:
        if type(each) is str:
            found.append(each)
        elif type(each) is dict and each.get("type", "blocks") == "blocks":
            found.append(text(each, "depends_on_id"))
    return [tasks.task_name(each) for each in dict.fromkeys(found) if each]
