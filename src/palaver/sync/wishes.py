"""What a work order or a task card says that the board does not know: a new task, a change, a move.

Nobody signs them. What a holder does is taken as his, the rest as the owner's, or the manager's whose cards
they are; then it is judged like every other move. What had no effect is written anew as the board has it.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.bus.mail.plain_send import mail_sent
from palaver.dialects import spec
from palaver.model.event import Draft, Event
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.model.task import ENDED, Task, open_task
from palaver.model.value import Value
from palaver.sync.intake.events import draft
from palaver.sync.intake.known_messages import Known
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.tasks.board import Card

_OWNER, _HOLDER, _ASSIGNEE = "owner", "holder", "assignee"
#: What brings a task from one state to another, and whose act that is; "" is any state that is not named.
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
}


class Wish(Value):
    """How somebody wants a task to be."""

    __slots__ = ("assignee", "at", "by", "dialect", "fields", "status", "task")

    def __init__(
        self,
        *,
        task: str,
        status: str,
        dialect: str,
        assignee: str | None,
        fields: dict[str, object],
        by: str = "",
        at: str = "",
    ) -> None:
        """Take what he says of a task."""
        self.task = task
        #: The word of his dialect for its state; and his dialect.
        self.status = status
        self.dialect = dialect
        #: Who has it; None says nothing.
        self.assignee = assignee
        #: What else is said of it, with the names that the bus has for it.
        self.fields = fields
        #: Whose files these are, if they are one agent's.
        self.by = by
        #: The state of the task that he speaks of, by its time; nothing if he does not say.
        self.at = at


class Said:
    """What becomes of a wish."""

    __slots__ = ("drafts", "odd")

    def __init__(self) -> None:
        """Start with nothing."""
        self.drafts: list[Draft] = []
        #: What of it does not count, and why.
        self.odd: list[str] = []


class Wishes:
    """Makes events of what somebody wants."""

    __slots__ = ("_history", "_key", "_known", "_roster", "_src")

    def __init__(self, known: Known, roster: Roster, *, history: bool) -> None:
        """Take what is known, who there is, and whether the mount is new."""
        self._known = known
        self._roster = roster
        self._history = history
        self._src: dict[str, object] = {}
        self._key = ""

    def said(self, wish: Wish, src: dict[str, object], key: str) -> Said:
        """Return what is said anew; `src` is where it stands, `key` is made from that."""
        found = Said()
        self._key = key
        self._src = {**src, "len": 0, "history": 1} if self._history else {**src, "len": 0}
        card = self._known.card(wish.task)
        if card is None:
            self._open(wish, found)
        else:
            self._change(card, wish, found)
        return found

    def _open(self, wish: Wish, found: Said) -> None:
        assignee = wish.assignee or ""
        state = spec(wish.dialect).statuses.state(wish.status) or "open"
        told = {"owner": wish.by, "title": "", **wish.fields, "task": wish.task}
        if self._history:
            told |= {"state": state, "holder": assignee}
        # Whoever wrote it: that it is open is all that it says.
        found.drafts.append(draft("task.opened", told, self._src, key=f"{self._key}:open"))
        task = open_task(wish.task, title=str(told["title"]), owner=str(told["owner"]))
        for name, value in wish.fields.items():
            if name != "needs":
                setattr(task, name, value)
        if self._history:
            task.state, task.holder = state, assignee
        else:
            self._move(task, wish, state, assignee, found)
        needed = wish.fields.get("needs")
        self._known.cards[task.id] = Card(task, dict.fromkeys(needed, "") if type(needed) is list else {})

    def _change(self, card: Card, wish: Wish, found: Said) -> None:
        task = card.task
        unsaid = wish.assignee is None or (task.state == "claimed" and not wish.assignee)
        assignee = task.holder if unsaid else str(wish.assignee)
        fresh = _fresh(card, wish)
        statuses = spec(wish.dialect).statuses
        state = statuses.state(wish.status)
        stands = state in ("", task.state) or wish.status == statuses.word(
            task.state, ready=not card.waits_for
        )
        if not fresh and stands and assignee == task.holder:
            return
        at = self._known.changed(task.id)
        if at and wish.at and wish.at < at:
            found.odd.append(f"{task.id} has changed at {at}, and this is older: it has no effect")
            return
        if fresh and Policy(self._roster).text("identity", Event({"src": self._src})) == "strict":
            found.odd.append(f"the policy is strict, and nothing proves who changed {task.id}")
        elif fresh:
            by = wish.by or task.owner
            actor = {"actor": by, "auth": "claimed"} if by else {}
            told = {"task": task.id, **fresh}
            found.drafts.append(draft("task.changed", told, self._src, key=f"{self._key}:change", **actor))
            for name, value in fresh.items():
                if name not in ("needs", "needs_not"):
                    setattr(task, name, value)
        self._move(task, wish, "" if stands else state, assignee, found)

    # --- the move that a status means ---

    def _move(self, task: Task, wish: Wish, state: str, assignee: str, found: Said) -> None:
        """Add the move that brings a task where somebody says that it is."""
        act, whose = "", _OWNER
        if state not in ("", task.state):
            acts = _ACTS[state]
            act, whose = acts.get(task.state) or acts[""]
            if (
                state == "working"
                and assignee
                and (wish.by or task.state == "claimed")
                and assignee != task.holder
            ):
                # Whoever leads gives it to somebody else than asked for it, if anybody did.
                act, whose = "assign", _OWNER
        elif assignee != task.holder and task.state not in ENDED:
            act = "assign" if assignee else "release"
        if not act or (act == "release" and task.state == "open"):
            return
        senders = {_OWNER: wish.by or task.owner or BUS, _HOLDER: task.holder, _ASSIGNEE: assignee}
        if not senders[whose] or (act == "assign" and not assignee):
            found.odd.append(f"{task.id} is {wish.status}, and nothing says whose it is")
            return
        self._say(task, wish, act, senders[whose], assignee, found)
        task.state, task.holder = state or task.state, assignee

    def _say(  # noqa: PLR0917 - what a message is made of
        self, task: Task, wish: Wish, act: str, sender: str, assignee: str, found: Said
    ) -> None:
        both = dict.fromkeys([task.owner, task.holder or assignee])
        to = [assignee] if act == "assign" else [each for each in both if each and each != sender]
        body = f"{task.id} is {wish.status} now, says {self._src['file']}."
        if act == "assign":
            body = task.title or body
        message = Message(sender=sender, to=to, act=act, body=body, subject=body, task=task.id)
        moved = mail_sent(message, key=f"{self._key}:move")
        moved.src = self._src
        found.drafts.append(moved)


def _fresh(card: Card, wish: Wish) -> dict[str, object]:
    """Return what is said of a task that the board does not say."""
    said = {name: value for name, value in wish.fields.items() if name != "needs"}
    found = {name: value for name, value in said.items() if value != getattr(card.task, name)}
    needed = wish.fields.get("needs")
    if type(needed) is list:
        more = [each for each in needed if each not in card.needs]
        fewer = [each for each in card.needs if each not in needed]
        found |= ({"needs": more} if more else {}) | ({"needs_not": fewer} if fewer else {})
    return found
