"""Claims that had no effect, and the lead's own answers to them."""

from sqlite3 import Connection

from palaver.model.task import Bar, Task
from palaver.views.tasks.move_check import MISFILED, MoveCheck


def rejects_lost_claim(db: Connection, task: Task, act: str, verdict: MoveCheck) -> bool:
    """Return True if a refusal answers a claim that had no effect anyway; the bus then need not answer it."""
    is_late = act == "refuse" and verdict.bar is not Bar.PERMISSION and verdict.why != MISFILED
    if not is_late or len(verdict.to) != 1 or task.holder in verdict.to:
        return False
    lost = (task.id, *verdict.to)
    claimed = db.execute(
        "select 1 from task_move where task = ? and actor = ? and act = 'claim' and why <> ''", lost
    ).fetchone()
    if claimed:
        db.execute("delete from task_due where rule = 'second-claim' and task = ? and recipient = ?", lost)
    return claimed is not None
