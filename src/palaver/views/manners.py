"""Manners of two who work together, as collab has them, judged of a line that came by a file.

Such a line counts, whatever it says; who wrote it and whom it was for are told what is wrong with it. The
same said by a command is refused (`bus/manners.py`). What stood in a file before it was mounted is judged by
nobody, and `talk = "ignore"` of a mount, or of the policy, lets everything pass.

A bare module: the views import it when a line of a file moves a task (see docs/adr/0006).
"""

from palaver.model.event import Event, flag, table, text
from palaver.model.task import MANNERLY, Task, says_nothing
from palaver.views.asked import Asked
from palaver.views.asking import between
from palaver.views.policy import Policy

_BUSY = "('assigned', 'handed', 'working', 'rework')"
_VOID = {
    "deliver": (
        "result-on-close",
        "{by} closed {task} without its result; say what came out, in the same line",
    ),
    "block": ("reason-on-block", "{by} blocked {task} without a reason; say why, in the same line"),
}


def broken(db: Asked, policy: Policy, task: Task, event: Event, to: list[str]) -> tuple[str, str] | None:
    """Return the rule that a line breaks by moving a task so, and in which way."""
    act, by = text(event.data, "act"), (text(event.data, "from") or event.actor).lower()
    if act == "assign" and len(to) == 1:
        [agent] = to
        found = _untimely(db, policy, task.id, agent, event)
        return found and (found[0], f"{by} gave {task.id} to {agent}, who {found[1]}")
    if act in _VOID and policy.dialect(event) in MANNERLY and policy.text("talk", event) != "ignore":
        rule, words = _VOID[act]
        if says_nothing(act, text(event.data, "body")):
            return rule, words.format(by=by, task=task.id)
    return None


def _untimely(db: Asked, policy: Policy, task: str, agent: str, event: Event) -> tuple[str, str] | None:
    """Return why a task comes at the wrong time for an agent; where nobody wants manners, none does."""
    if policy.manners(agent) in ("", "ignore"):
        return None
    by = (text(event.data, "from") or event.actor).lower()
    if between(db, asker=agent, asked=by):
        return "answer-before-asking", "waits for an answer; answer first"
    if flag(table(event.data, "meta"), "parallel") or policy.side_by_side(agent):
        return None
    busy = db.execute(
        f"select id from task where holder = ? and id <> ? and state in {_BUSY} order by opened limit 1",
        (agent, task),
    )
    return ("one-task-at-a-time", f"has {busy[0][0]}; close that one first") if busy else None
