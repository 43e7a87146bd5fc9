"""The reference page of tasks: the states, the diagram and every move, from their tables."""

from palaver.dialects import specs
from palaver.model.task import MOVES, STATES

NOTICE = "<!-- Written by tools/docs.py. Change the code, then run: make docs -->"
#: The states of a task in A2A, the agent-to-agent protocol.
A2A = {
    "open": "submitted",
    "claimed": "submitted",
    "assigned": "submitted",
    "handed": "submitted",
    "working": "working",
    "blocked": "input-required",
    "delivered": "working",
    "checking": "working",
    "rework": "working",
    "done": "completed",
    "cancelled": "canceled",
}
LEAD = (
    "Every task, whatever its dialect calls it, is in one of these states. Messages with an act and a task "
    "move it. A move that is not in the table is ignored: it stays in the log, and `palaver task show` shows "
    "the reason."
)
_WHEN = {
    "": "",
    "free": "its claims need no approval",
    "approved": "its claims need approval",
    "checked": "its work is reviewed",
    "unchecked": "its work is not reviewed",
    "finished": "the work is finished, or handed to many",
    "given": "an office's manager approves an employee that has not claimed it",
}


def tasks_page() -> str:
    """Return the page."""
    return (
        "\n\n".join(
            ["# Tasks", NOTICE, LEAD, "## States", _states(), "## Diagram", _diagram(), "## Moves", _moves()]
        )
        + "\n"
    )


def _states() -> str:
    known = specs()
    head = ["state", "meaning", "A2A", *known]
    statuses = [each.statuses for each in known.values()]
    rows = [
        f"| `{state}` | {means} | {' | '.join([A2A[state], *(each.word(state) for each in statuses)])} |"
        for state, means in STATES.items()
    ]
    rule = "|---" * len(head) + "|"
    note = "In office an open task with unfinished dependencies is `New`."
    return "\n".join([f"| {' | '.join(head)} |", rule, *rows]) + f"\n\n{note}"


def _diagram() -> str:
    arrows: dict[tuple[str, str], list[str]] = {}
    for move in MOVES:
        acts = arrows.setdefault((move.before, move.to), [])
        if move.act not in acts:
            acts.append(move.act)
    lines = [f"    {before} --> {to}: {', '.join(acts)}" for (before, to), acts in arrows.items()]
    return "\n".join(["```mermaid", "stateDiagram-v2", "    [*] --> open", *lines, "```"])


def _moves() -> str:
    rows = [
        f"| `{move.before}` | {move.act} | {' or '.join(move.who)} | `{move.to}` | {_WHEN[move.when]} |"
        for move in MOVES
    ]
    head = ["| state | act | by | next state | condition |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows])
