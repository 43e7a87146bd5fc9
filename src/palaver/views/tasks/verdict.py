"""Whether a move counts: the table of moves, and what can be held against a move that the table allows.

Asked by the fold, for which the log decides, and by a command before it writes anything; so a command is
refused for the same reasons for which a line in a file has no effect.
"""

from palaver.model.event import Event, flag, number, table, text, texts
from palaver.model.task import PRIVILEGED, Move, Task, judge
from palaver.views.agents.autonomy import level
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.query import Query
from palaver.views.tasks.board import card, level_of


class Verdict:
    """What becomes of a move: the row that it takes, or why there is none; and whom it names."""

    __slots__ = ("move", "to", "why")

    def __init__(self, move: Move | None, why: str, to: list[str]) -> None:
        """Take the row, the reason, and the agents that are addressed by name."""
        self.move = None if why else move
        self.why = why
        self.to = to


class Judge:
    """Judges moves by what a view holds."""

    __slots__ = ("_asked", "_roster", "policy")

    def __init__(self, asked: Query, roster: Roster) -> None:
        """Take the view and its roster."""
        self._asked = asked
        self._roster = roster
        self.policy = Policy(roster)

    def verdict(self, task: Task, event: Event) -> Verdict:
        """Return what becomes of a message that moves a task."""
        act = text(event.data, "act")
        sender = (text(event.data, "from") or event.actor).lower()
        meta = table(event.data, "meta")
        to = self._addressed(event)
        # To hand on to many is to pass on what is finished, too.
        finished = (
            flag(meta, "finished") or len(to) > 1 or self.policy.conventions(event).handoff_is_finished_work
        )
        leads = self.policy.leads_for(event) | self.policy.heads(task.holder)
        gated = task.state == "open" and level(self._asked, sender) == "gated"
        move, why = judge(task, act, sender, leads=leads, finished=finished, gated=gated)
        if move is not None:
            why = self._stale(task, event) or self._objection(task, move, sender, to)
        if not why and move is not None and act in ("claim", "ack") and task.state == "open":
            why = self._unclaimable(task, sender, event)
        return Verdict(move, why, to)

    def _stale(self, task: Task, event: Event) -> str:
        """Return why whoever speaks has no say: he is too late, or nothing proves who he is."""
        fence = number(table(event.data, "meta"), "fence")
        if fence and fence != task.fence:
            return f"the fence {fence} is over: it was given on"
        if self.policy.misfiled(event):
            return "it stands in a file that belongs to somebody else"
        strict = self.policy.text("identity", event) == "strict" and event.auth == "claimed"
        if strict and text(event.data, "act") in PRIVILEGED:
            return "the policy is strict, and nothing proves who says so"
        return ""

    def _objection(self, task: Task, move: Move, sender: str, to: list[str]) -> str:
        if move.act in ("approve", "refuse") and task.state == "claimed" and to and task.holder not in to:
            return f"it is {task.holder} who claimed it"
        announced = move.act == "assign" and task.state == "open"
        if move.to in ("assigned", "handed") and len(to) != 1 and not announced:
            return "it does not say which one agent shall have it"
        unclaimed = task.state == "open" and move.act == "deliver"
        if unclaimed and (task.approval or level(self._asked, sender) == "gated"):
            return f"{sender} has not claimed it"
        return ""

    def _unclaimable(self, task: Task, sender: str, event: Event) -> str:
        """Return why an open task is not for this agent, or nothing."""
        waits = card(self._asked, task).waits_for
        if waits:
            return f"it waits for {', '.join(waits)}"
        if task.restricted and sender not in self._roster.meaning(task.restricted).agents:
            return f"it is for {task.restricted} only"
        wanted, senior = task.level or task.difficulty, level_of(self._asked, sender)
        if senior and senior < wanted:
            return f"it wants level {wanted}, and {sender} has {senior}"
        if not self.policy.flag("parallel", event, usual=True):
            held = self._asked.execute(
                "select id from task where holder = ? and holder <> '' and id <> ? "
                "and state in ('claimed', 'working', 'blocked', 'rework') order by id",
                (sender, task.id),
            )
            if held:
                return f"{sender} has {held[0][0]}, and one at a time is the policy"
        read_at = text(table(event.data, "meta"), "board-read-at")
        if read_at and read_at.rstrip("Z") < task.since.rstrip("Z") and task.seq != task.opened:
            return f"the board was read at {read_at}, and the task moved since"
        return ""

    def _addressed(self, event: Event) -> list[str]:
        """Return the agents that a message names, without those that a list or @all means."""
        named: dict[str, None] = {}
        for written in texts(event.data, "to"):
            meaning = self._roster.meaning(written)
            if meaning.kind == "agent" or (meaning.kind == "role" and len(meaning.agents) == 1):
                named.update(dict.fromkeys(meaning.agents))
        return list(named)
