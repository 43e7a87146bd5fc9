"""The tasks of an office as its lines leave them, for rules that judge a line by earlier ones.

A replay knows only the lines, so it takes every task that a line names for a task of the board. The live bus
knows the board itself.
"""

from dataclasses import dataclass

from palaver.model.message import Message


@dataclass(slots=True)
class ReplayedTask:
    """A task after some lines."""

    id: str
    holder: str = ""
    #: Whether its holder may work on it: the claim was approved.
    is_working: bool = False
    is_delivered: bool = False
    is_done: bool = False


class TaskReplay:
    """The tasks after some lines of an office."""

    def __init__(self, *, manager: str, allows_parallel: bool) -> None:
        """Take the manager, and whether an employee may have several tasks in progress."""
        self._manager = manager
        self._allows_parallel = allows_parallel
        self._tasks: dict[str, ReplayedTask] = {}

    def task(self, task_id: str) -> ReplayedTask:
        """Return a task; a number may be written with leading zeros or without."""
        name = task_id.lower()
        return self._tasks.setdefault(name.lstrip("0") if name.isdecimal() else name, ReplayedTask(task_id))

    def other_in_progress(self, worker: str, task_id: str) -> str:
        """Return another task that an employee works on, if it may have only one; else nothing."""
        this = self.task(task_id)
        held = (task for task in self._tasks.values() if task.holder == worker and task.is_working)
        return "" if self._allows_parallel else next((task.id for task in held if task is not this), "")

    def apply(self, message: Message) -> None:
        """Apply a line, if it moves a task."""
        if not message.task:
            return
        task = self.task(message.task)
        if message.sender == self._manager:
            _decide(task, message)
        elif message.act == "claim":
            is_free = not (task.holder or task.is_done)
            if is_free and not self.other_in_progress(message.sender, message.task):
                task.holder = message.sender
        elif message.sender == task.holder:
            if message.act == "release":
                task.holder, task.is_working, task.is_delivered = "", False, False
            elif message.act == "deliver" and task.is_working:
                task.is_working, task.is_delivered = False, True


def _decide(task: ReplayedTask, message: Message) -> None:
    """Apply a line of the manager."""
    concerns_holder = task.holder in message.to
    match message.act:
        case "approve" if not (task.is_working or task.is_delivered or task.is_done) and len(message.to) == 1:
            task.holder, task.is_working = message.to[0], True
        case "accept" | "cancel":
            task.is_done, task.is_working, task.is_delivered = True, False, False
        case "rework" | "refuse" if task.is_delivered or (task.is_done and message.act == "rework"):
            task.is_working, task.is_delivered, task.is_done = task.holder != "", False, False
        case "release" if concerns_holder:
            task.holder, task.is_working, task.is_delivered = "", False, False
        case "refuse" if concerns_holder and not task.is_working:
            task.holder = ""
