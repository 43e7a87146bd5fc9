"""What the author of a line without effect can do instead: a move that the board takes now, or words.

Every move that is proposed was checked as if it had been sent, so a proposal is never false.
"""

from collections.abc import Iterator
from typing import NamedTuple

from palaver.model.event import Event, text, texts
from palaver.model.task import AT_WORK, ENDED, GIVING, TAKING, Bar, Task
from palaver.views.fold import sender_of, task_of
from palaver.views.tasks import board
from palaver.views.tasks.board import alike, card, held
from palaver.views.tasks.move_check import VERDICTS, Judge, MoveCheck

#: Acts by which an author may reach what another act was meant to do, in the order of preference.
_INSTEAD = {
    "ack": ("claim",),
    "approve": ("assign", "accept", "resume"),
    "block": ("claim",),
    "cancel": ("refuse", "release"),
    "deliver": ("claim", "accept"),
    "handoff": ("claim", "assign"),
    "ready": ("deliver",),
    "refuse": ("rework", "release"),
    "resume": ("ack", "claim"),
}
# What an owner says about the work of another agent.
_OF_OWNER = frozenset(["accept", "assign", "rework"])
# Acts about work that was delivered, and the states of such work.
_AFTER_DELIVERY = ("ready", "rework", "accept")
_DELIVERED = ("delivered", "checking")
# How many tasks of an agent are looked at.
_TASKS = 20


class NextMove(NamedTuple):
    """A move that has an effect, or what to do where there is none."""

    #: Empty if no line would have an effect.
    act: str = ""
    task: str = ""
    to: tuple[str, ...] = ()
    #: A sentence: what must happen first, or whom to ask.
    advice: str = ""


class NextMoves(NamedTuple):
    """Finds the next move of the author of a line."""

    judge: Judge
    event: Event

    def find(self) -> NextMove:
        """Return the move to make instead of the one of the line."""
        task_id = task_of(self.event)
        task = board.task(self.judge.view, task_id) if task_id else None
        if task is None and self.judge.policy.conventions(self.event).pads_numbers:
            task = board.task(self.judge.view, board.padded_id(self.judge.view, task_id))
        return self._about_another(task_id) if task is None else self._about(task)

    # --- a task that the line does not name, or that does not exist ---

    def _about_another(self, task_id: str) -> NextMove:
        """Return the same move of the task that was probably meant."""
        act, named = text(self.event.data, "act"), self.event.having({**self.event.data, "task": ""})
        near = (
            [found for each in alike(self.judge.view, task_id) if (found := self._task(each))]
            if task_id
            else []
        )
        meant = [each for each in near if self._check(each, act).move]
        meant += [each for each in self.judge.implied_tasks(named) if each not in meant]
        if not meant:
            return NextMove(advice=f"Use an id that exists, such as {_either(near)}" if near else "")
        others = f"It can also be {_either(meant[1:])}" if meant[1:] else ""
        return NextMove(act, meant[0].id, tuple(texts(self.event.data, "to")), others)

    def _task(self, task_id: str) -> Task | None:
        return board.task(self.judge.view, task_id)

    # --- a task that exists ---

    def _about(self, task: Task) -> NextMove:
        act = text(self.event.data, "act")
        check = self._check(task, act)
        if check.bar is Bar.TAKEN:
            # There is nothing to do about a lost race.
            return NextMove()
        if act in ("claim", "ack") and task.state == "open" and (first := self._unfinished(task, check)):
            return first
        for other, to in self._candidates(task, act):
            move = self._check(task, other, to).move
            if move is not None and move.to != task.state:
                return NextMove(other, task.id, to, "Claim it first" if other == "claim" else "")
        return NextMove(advice=self._advice(task, act, check))

    def _candidates(self, task: Task, act: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield what may be said instead, and to whom."""
        written = tuple(texts(self.event.data, "to"))
        if act in VERDICTS and task.holder:
            yield act, (task.holder,)
        author = sender_of(self.event)
        is_owner = author == task.owner or author in self.judge.policy.leads_for(self.event)
        is_owner = is_owner or author in self.judge.policy.heads(task.holder)
        for other in _INSTEAD.get(act, ()):
            if other in _OF_OWNER and not is_owner:
                continue
            yield other, (task.holder,) if other in _OF_OWNER - GIVING and task.holder else written

    def _unfinished(self, task: Task, check: MoveCheck) -> NextMove | None:
        """Return the delivery of the task that keeps an agent from another one."""
        author = sender_of(self.event)
        is_single = self.judge.policy.allows_one_task(author, self.event)
        if check.move or card(self.judge.view, task).waits_for or not is_single:
            return None
        for other in held(self.judge.view, author, tuple(AT_WORK), _TASKS):
            if other.id != task.id and self._check(other, "deliver").move:
                advice = f"Deliver {_named(other.id)} first"
                return NextMove("deliver", other.id, tuple(texts(self.event.data, "to")), advice)
        return None

    def _check(self, task: Task, act: str, to: tuple[str, ...] | None = None) -> MoveCheck:
        """Return whether the board would take a move by the author of the line."""
        data = {**self.event.data, "act": act, "task": task.id}
        return self.judge.check(task, self.event.having(data if to is None else {**data, "to": [*to]}))

    def _advice(self, task: Task, act: str, check: MoveCheck) -> str:
        """Return what to do where no line would have an effect."""
        author = sender_of(self.event)
        lead = task.owner or " or ".join(sorted(self.judge.policy.heads(author)))
        if act in TAKING and task.state == "open" and (waits := card(self.judge.view, task).waits_for):
            return f"Claim it when {_either([*map(_named, waits)], ' and ')} is done"
        if task.state in ENDED:
            return "Open another task" if act == "assign" else "Nothing is left to do"
        if act in GIVING and len(check.to) != 1 and check.bar is Bar.OBJECTION:
            return "Name the one agent that gets it"
        if task.state == "claimed" and author == task.holder:
            return f"Wait until {lead or 'its owner'} approves it"
        if task.state in _DELIVERED and author == task.holder:
            return f"Wait until {task.checker.replace(' ', ' or ') or lead or 'its owner'} has checked it"
        if act in _AFTER_DELIVERY and task.state not in _DELIVERED and task.holder not in ("", author):
            return f"Wait until {task.holder} has delivered it"
        able = self._able(task)
        return f"Ask {able} to do it" + (", or to hand it on" if able == task.holder else "") if able else ""

    def _able(self, task: Task) -> str:
        """Return an agent whose line would have had the effect."""
        heads = self.judge.policy.heads(sender_of(self.event))
        agents = [task.holder, *task.checker.split(), task.owner, *sorted(heads)]
        for agent in filter(None, agents):
            said = self.event.having({**self.event.data, "from": agent, "task": task.id})
            if self.judge.check(task, said).move:
                return agent
        return ""


def _named(task_id: str) -> str:
    return f"task {task_id}"


def _either(tasks: list[Task] | list[str], between: str = " or ") -> str:
    return between.join(each if isinstance(each, str) else _named(each.id) for each in tasks)
