"""Processes: the steps of a template, each a task that needs the steps before it.

A process is active as long as a step of it is open. Its steps are on the board like any task, so who does
which, and what is ready next, needs no second machine. Steps that are done are never done again.
"""

import tomllib
from dataclasses import dataclass

from palaver.bus.admin import event_history
from palaver.bus.session import Session, draft
from palaver.bus.tasks import moves
from palaver.bus.tasks.consequences import settle
from palaver.bus.tasks.task_edits import open_task
from palaver.log.clock import letters
from palaver.model.errors import BadArguments, IllegalMove, NotFound
from palaver.model.event import text
from palaver.model.limits import ROWS
from palaver.model.masking.masks import clip
from palaver.views.tasks.board import Card

Steps = dict[str, list[str]]
# The built-in templates: each step, and the steps that it needs.
TEMPLATES: dict[str, Steps] = {
    "worker-execute": {
        "understand": [],
        "implement": ["understand"],
        "test": ["implement"],
        "complete": ["test"],
    },
    "supervisor-patrol": {
        "inbox-check": [],
        "survey-workers": ["inbox-check"],
        "nudge-idle": ["survey-workers"],
        "escalate-stuck": ["nudge-idle"],
    },
    "verify-pipeline": {
        "elaborate": [],
        "strategize": ["elaborate"],
        "verify": ["strategize"],
        "audit": ["verify"],
        "advocate": ["audit"],
        "criticize": ["audit"],
        "judge": ["advocate", "criticize"],
    },
    "qa-merge": {"test": [], "verify": ["test"], "merge": ["verify"], "notify": ["merge"]},
}
_STATUS = {
    **dict.fromkeys(("assigned", "handed"), "ready"),
    **dict.fromkeys(("claimed", "working", "rework"), "in_progress"),
    **dict.fromkeys(("delivered", "checking", "done"), "completed"),
    "blocked": "failed",
    "cancelled": "skipped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkProcess:
    """One process, with its steps."""

    id: str
    template: str
    #: The work order that it belongs to, if there is one.
    order: str
    at: str
    steps: list[Card]

    @property
    def state(self) -> str:
        """Return `active`, or `archive` if nothing is left to do."""
        ended = all(card.task.state in ("done", "cancelled") for card in self.steps)
        return "archive" if ended else "active"

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "id": self.id,
            "template": self.template,
            "work_order_id": self.order or None,
            "state": self.state,
            "created_at": self.at,
            "steps": [
                {
                    "id": step_name(card),
                    "task": card.task.id,
                    "status": step_status(card),
                    "needs": list(card.needs),
                }
                for card in self.steps
            ],
        }


def step_name(card: Card) -> str:
    """Return the name of a step."""
    return card.task.id.partition(".")[2]


def step_status(card: Card) -> str:
    """Return how far a step is, in the words of a process."""
    if card.task.state == "open":
        return "ready" if card.ready else "pending"
    return _STATUS[card.task.state]


def compiled(name: str, steps: Steps) -> list[str]:
    """Return the steps of a template in an order in which they can be done, or refuse what has none."""
    order: list[str] = []
    for step, needs in steps.items():
        unknown = [needed for needed in needs if needed not in steps]
        if unknown:
            raise BadArguments(f"cannot use {name}", f"{step} needs {unknown[0]}, which is no step", "fix it")
    while len(order) < len(steps):
        ready = [step for step, needs in steps.items() if step not in order and set(needs) <= set(order)]
        if not ready:
            left = ", ".join(step for step in steps if step not in order)
            raise BadArguments(f"cannot use {name}", f"these wait for each other: {left}", "fix it")
        order += ready
    return order


def template(content: bytes, path: str) -> tuple[str, Steps]:
    """Return the name and the steps of a template in TOML."""
    try:
        fields = tomllib.loads(content.decode())
        steps = {
            str(step["id"]): [str(needed) for needed in step.get("needs", [])] for step in fields["steps"]
        }
        return str(fields.get("template", path)), steps
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise BadArguments(
            f"{path} is no template",
            str(fault)[:200],
            "write template = NAME, and [[steps]] with id and needs",
        ) from fault


def start(session: Session, by: str, name: str, steps: Steps, *, order: str = "") -> WorkProcess:
    """Begin a process: open its steps."""
    found = compiled(name, steps)
    if order:
        order = moves.find_task(session, order).id
    process = f"proc-{letters()[:6]}"
    data: dict[str, object] = {"process_id": process, "template": name}
    if order:
        data["work_order_id"] = order
    session.log.append([draft("process.created", by, data)])
    for step in found:
        title = f"{step} ({name}{f' of {order}' if order else ''})"
        needs = [f"{process}.{needed}" for needed in steps[step]]
        task = f"{process}.{step}"
        open_task(session, title, task=task, needs=needs, kind="step", check=False, lease=0, by=by)
    return show(session, process)


def everything(session: Session) -> list[WorkProcess]:
    """Return all processes, oldest first."""
    cards = [card for card in moves.list_tasks(session) if card.task.id.startswith("proc-")]
    return [
        WorkProcess(
            id=(process := text(event.data, "process_id")),
            template=text(event.data, "template"),
            order=text(event.data, "work_order_id"),
            at=event.timestamp,
            steps=[card for card in cards if card.task.id.startswith(f"{process}.")],
        )
        for event in event_history.latest(session, limit=ROWS, event_type="process.created")
    ]


def show(session: Session, process: str) -> WorkProcess:
    """Return one process."""
    for found in everything(session):
        if found.id == process:
            return found
    raise NotFound(f"no process {clip(process, 40)}", "nobody has started it", "wo process list shows them")


def complete(session: Session, by: str, process: str, step: str, words: str) -> WorkProcess:
    """Finish a step; with the last one the process is finished."""
    found = show(session, process)
    known = {step_name(card): card for card in found.steps}
    if step not in known:
        raise NotFound(f"no step {clip(step, 40)} of {process}", "", f"it has {', '.join(known)}")
    if known[step].waits_for:
        waits = ", ".join(known[step].waits_for)
        raise IllegalMove(f"cannot complete {step}", f"it needs {waits}", f"wo process steps {process}")
    body = words or f"step {step} of {process} is completed"
    moves.deliver(session, f"{process}.{step}", body, by=by)
    session.log.append([draft("process.step_completed", by, {"process_id": process, "step_id": step})])
    found = show(session, process)
    if found.state == "archive":
        session.log.append([draft("process.completed", by, {"process_id": process, "summary": body})])
        # The agent that had it as its assignment is free.
        settle(session)
    return found


def cancel(session: Session, by: str, process: str) -> WorkProcess:
    """Cancel the steps of a process that are not done."""
    found = show(session, process)
    for card in found.steps:
        if card.task.state not in ("done", "cancelled"):
            moves.move(session, card.task.id, "cancel", by=by)
    session.log.append([draft("process.cancelled", by, {"process_id": process})])
    settle(session)
    return show(session, process)
