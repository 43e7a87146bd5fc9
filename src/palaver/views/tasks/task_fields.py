"""The fields of a task that `task.opened` and `task.changed` may set."""

from collections.abc import Callable

from palaver.model.event import Event, flag, number, text, texts
from palaver.model.task import ENDED, STATES, Task
from palaver.views.fold import Folds, first_line
from palaver.views.tasks.board import cycle


def _name(data: dict[str, object], field: str) -> str:
    return text(data, field).lower()


# The type of each value, and how it is read.
_FIELDS: dict[str, tuple[type, Callable[[dict[str, object], str], object]]] = {
    **dict.fromkeys(("title", "about", "kind"), (str, text)),
    **dict.fromkeys(("owner", "restricted"), (str, _name)),
    **dict.fromkeys(("priority", "difficulty", "level", "lease"), (int, number)),
    **dict.fromkeys(("approval", "check"), (bool, flag)),
}


def keep_words(task: Task, act: str, event: Event) -> None:
    """Keep what a delivery or a block says as the result or the reason of a task."""
    words = first_line(text(event.data, "body"))
    if act == "deliver":
        task.result = words
    elif act in ("block", "rework", "refuse"):
        task.reason = words


def add_checkers(task: Task, act: str, to: list[str]) -> None:
    """Let the agents that get a delivery again check it: the first one may not have come."""
    if (act, task.state) in (("deliver", "delivered"), ("ready", "checking")):
        task.checker = " ".join(dict.fromkeys([*task.checker.split(), *to]))


def take_state_of_file(task: Task, event: Event) -> None:
    """Give a task that was in a file before it was mounted the state that it has there."""
    state, holder = text(event.data, "state"), text(event.data, "holder").lower()
    if state in ENDED or (state in STATES and state != "open" and holder):
        task.state, task.holder = state, holder
        task.fence = event.seq if holder else 0


def set_fields(folds: Folds, task: Task, event: Event) -> str:
    """Set the fields of a task that an event names; return why some of them were ignored."""
    for name, (kind, read) in _FIELDS.items():
        if type(event.data.get(name)) is kind:
            setattr(task, name, read(event.data, name))
    for gone in texts(event.data, "needs_not"):
        folds.execute("delete from task_need where task = ? and needs = ?", (task.id, gone.lower()))
    refused = []
    for needed in texts(event.data, "needs"):
        # A need that would close a cycle is ignored.
        if way := cycle(folds, task.id, [needed.lower()]):
            refused.append(" → ".join(way))
        else:
            folds.execute("insert or ignore into task_need values (?, ?)", (task.id, needed.lower()))
    return f"it would wait for itself: {'; '.join(refused)}" if refused else ""
