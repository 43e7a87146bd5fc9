"""Edits of tasks that files ask for, as events: a new task, a change, a move.

Such files are not signed. A move that only the holder makes is taken as the holder's; the others are the
owner's, or the writer's if the file belongs to one agent. The move is then judged like any other, and a file
whose edit had no effect is written again as the board has it.
"""

from dataclasses import dataclass, field, replace

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.tasks.moves import task_name
from palaver.bus.tasks.task_edits import check_fields
from palaver.model.board_files import NameForms, TaskEdit
from palaver.model.event import Draft, Event
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.spec import Statuses
from palaver.model.task import ENDED, Task, open_task
from palaver.sync.intake.file_events import draft
from palaver.sync.intake.known_messages import Known
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.tasks.board import Card

_OWNER, _HOLDER, _ASSIGNEE = "owner", "holder", "assignee"
#: State that is asked for → state of the task ("" for any other) → the act that leads there, and whose it is.
_ACTS: dict[str, dict[str, tuple[str, str]]] = {
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
    "rework": {"": ("rework", _OWNER)},
    "blocked": {"open": ("block", _ASSIGNEE), "": ("block", _HOLDER)},
    "done": {"": ("accept", _OWNER)},
    "cancelled": {"": ("cancel", _OWNER)},
}


def resolve_names(edit: TaskEdit, names: NameForms) -> TaskEdit:
    """Return an edit with the ids and names that the bus has; refuse what cannot be said of a task."""
    fields = dict(edit.fields)
    for key in ("owner", "restricted"):
        if written := fields.get(key):
            fields[key] = names.speaker(str(written))
    needs = fields.get("needs")
    if isinstance(needs, list):
        fields["needs"] = [task_name(str(each)) for each in needs]
    check_fields(fields)
    return replace(
        edit,
        task=task_name(edit.task),
        assignee=names.speaker(edit.assignee) if edit.assignee else edit.assignee,
        by=names.speaker(edit.by) if edit.by else "",
        fields=fields,
    )


@dataclass(slots=True, kw_only=True)
class EditEvents:
    """Collects the events of one edit, and what of it has no effect."""

    known: Known
    roster: Roster
    #: The words of the dialect.
    statuses: Statuses
    #: The place of the edit in the file, and a key that is made from that.
    src: dict[str, object]
    key: str
    #: Whether the mount is new: then the state of a new task is taken as it is.
    history: bool
    drafts: list[Draft] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, edit: TaskEdit) -> None:
        """Add the events of the edit."""
        card = self.known.card(edit.task)
        if card is None:
            self._open(edit)
        else:
            self._change(card, edit)

    def _open(self, edit: TaskEdit) -> None:
        assignee = edit.assignee or ""
        state = self.statuses.state(edit.status) or "open"
        fields = {**edit.defaults, **edit.fields}
        told = {"owner": edit.by, "title": "", **fields, "task": edit.task}
        if self.history:
            told |= {"state": state, "holder": assignee}
        # The opening of a task needs no proof of who wrote it.
        self.drafts.append(draft("task.opened", told, self.src, key=f"{self.key}:open"))
        task = open_task(edit.task, title=str(told["title"]), owner=str(told["owner"]))
        for name, value in fields.items():
            if name != "needs":
                setattr(task, name, value)
        if self.history:
            task.state, task.holder = state, assignee
        else:
            self._move(task, edit, state, assignee)
        needed = edit.fields.get("needs")
        self.known.cards[task.id] = Card(task, dict.fromkeys(needed, "") if type(needed) is list else {})

    def _change(self, card: Card, edit: TaskEdit) -> None:
        task = card.task
        unsaid = edit.assignee is None or (task.state == "claimed" and not edit.assignee)
        assignee = task.holder if unsaid else str(edit.assignee)
        fresh = _fresh(card, edit)
        word = self.statuses.word(task.state, ready=not card.waits_for)
        state = self.statuses.state(edit.status)
        is_same = state in ("", task.state) or edit.status == word
        if not fresh and is_same and assignee == task.holder:
            return
        at = self.known.changed(task.id)
        if at and edit.at and edit.at < at:
            self.problems.append(f"{task.id} has changed at {at}, and this edit is older: it has no effect")
            return
        if fresh and Policy(self.roster).text("identity", Event({"src": self.src})) == "strict":
            self.problems.append(f"the policy is strict, and nothing proves who changed {task.id}")
        elif fresh:
            by = edit.by or task.owner
            actor = {"actor": by, "auth": "claimed"} if by else {}
            told = {"task": task.id, **fresh}
            self.drafts.append(draft("task.changed", told, self.src, key=f"{self.key}:change", **actor))
            for name, value in fresh.items():
                if name not in ("needs", "needs_not"):
                    setattr(task, name, value)
        self._move(task, edit, "" if is_same else state, assignee)

    # --- the move that a status means ---

    def _move(self, task: Task, edit: TaskEdit, state: str, assignee: str) -> None:
        """Add the move that brings a task to the state and the assignee of the edit."""
        act, whose = "", _OWNER
        if state not in ("", task.state):
            acts = _ACTS.get(state, {})
            act, whose = acts.get(task.state) or acts.get("", ("", _OWNER))
            if (
                state == "working"
                and assignee
                and (edit.by or task.state == "claimed")
                and assignee != task.holder
            ):
                # The lead gives it to another agent than the one that claimed it, if one did.
                act, whose = "assign", _OWNER
        elif assignee != task.holder and task.state not in ENDED:
            act = "assign" if assignee else "release"
        if not act or (act == "release" and task.state == "open"):
            return
        senders = {_OWNER: edit.by or task.owner or BUS, _HOLDER: task.holder, _ASSIGNEE: assignee}
        if not senders[whose] or (act == "assign" and not assignee):
            self.problems.append(f"{task.id} is {edit.status}, and nothing says whose it is")
            return
        self._say(task, edit, act, senders[whose], assignee)
        task.state, task.holder = state or task.state, assignee

    def _say(self, task: Task, edit: TaskEdit, act: str, sender: str, assignee: str) -> None:
        both = dict.fromkeys([task.owner, task.holder or assignee])
        to = [assignee] if act == "assign" else [each for each in both if each and each != sender]
        body = f"{task.id} is {edit.status} now, says {self.src['file']}."
        if act == "assign":
            body = task.title or body
        message = Message(sender=sender, to=to, act=act, body=body, task=task.id)
        moved = mail_sent(message, key=f"{self.key}:move")
        moved.src = self.src
        self.drafts.append(moved)


def _fresh(card: Card, edit: TaskEdit) -> dict[str, object]:
    """Return the fields of an edit that differ from the board."""
    said = {name: value for name, value in edit.fields.items() if name != "needs"}
    found = {name: value for name, value in said.items() if value != getattr(card.task, name)}
    needed = edit.fields.get("needs")
    if type(needed) is list:
        more = [each for each in needed if each not in card.needs]
        fewer = [each for each in card.needs if each not in needed]
        found |= ({"needs": more} if more else {}) | ({"needs_not": fewer} if fewer else {})
    return found
