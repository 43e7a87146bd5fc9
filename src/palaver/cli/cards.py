"""Tasks as text: a row, a sheet, a board."""

from palaver.cli.show import block, clipped, field_lines, safe
from palaver.model.task import LEASED, Task
from palaver.views.tasks.board import Card, MoveAttempt

_LEAST = 14


def row(card: Card) -> str:
    """Return a task as one line."""
    task = card.task
    state = "ready" if card.ready else "waiting" if task.state == "open" else task.state
    who = task.holder or (f"({task.restricted})" if task.restricted else "")
    waits = f"  ← {', '.join(card.waits_for)}" if card.waits_for else ""
    line = (
        f"{safe(task.id):<14} {state:<10} p{task.priority}  {clipped(who, 24):<14} {clipped(task.title, 60)}"
    )
    return line + safe(waits)


def sheet(card: Card) -> str:
    """Return everything about a task."""
    task = card.task
    head = {
        "task": task.id,
        "title": task.title,
        "state": _state(card),
        "holder": task.holder + (f" (fence {task.fence})" if task.fence else ""),
        "lease": _lease(task),
        "owner": task.owner,
        "from": task.giver,
        "checked by": task.checker.replace(" ", ", "),
        "only for": task.restricted,
        "kind": task.kind if task.kind != "task" else "",
        "priority": task.priority if task.priority != 2 else "",
        "difficulty": task.difficulty or "",
        "needs": ", ".join(f"{needed} ({state or 'unknown'})" for needed, state in card.needs.items()),
        "result": task.result,
        "reason": task.reason if task.state in ("blocked", "rework") else "",
        "opened": task.at,
        "since": task.since if task.since != task.at else "",
    }
    return "\n".join(field_lines(head, 12)) + ("\n\n" + block(task.about) if task.about else "")


def _state(card: Card) -> str:
    if card.ready:
        return "open, ready to be claimed"
    return f"{card.task.state}, waits for {', '.join(card.waits_for)}" if card.waits_for else card.task.state


def _lease(task: Task) -> str:
    return (
        f"{task.lease} s without activity; the last one at {task.touched}"
        if task.state in LEASED and task.lease
        else ""
    )


def moves_text(tried: list[MoveAttempt]) -> str:
    """Return the moves of a task, one line each; one without effect says why."""
    lines = []
    for each in tried:
        at = each.at[5:19].replace("T", " ")
        outcome = f"no effect: {each.why}" if each.why else f"{each.before or '-'} → {each.after}"
        gist = f"  {clipped(each.gist, 60)}" if each.gist else ""
        lines.append(
            f"{each.seq:>7}  {at}  {clipped(each.actor, 20):<14} {each.act:<8} {safe(outcome)}{gist}"
        )
    return "\n".join(lines)


def board_text(columns: dict[str, list[Card]], width: int) -> str:
    """Return a board: columns as wide as the terminal allows, without the empty ones."""
    filled = {name: found for name, found in columns.items() if found}
    if not filled:
        return "No tasks"
    wide = max(_LEAST, (width - 2 * (len(filled) - 1)) // len(filled))
    lines = ["  ".join(f"{name} ({len(found)})".ljust(wide) for name, found in filled.items())]
    lines.append("  ".join("─" * wide for _ in filled))
    for place in range(max(map(len, filled.values()))):
        pairs = [_tile(found[place], wide) if place < len(found) else ("", "") for found in filled.values()]
        for part in (0, 1):
            line = "  ".join(pair[part].ljust(wide) for pair in pairs).rstrip()
            if line:
                lines.append(line)
    return "\n".join(line.rstrip() for line in lines)


def _tile(card: Card, wide: int) -> tuple[str, str]:
    who = card.task.holder or " ".join(f"←{needed}" for needed in card.waits_for)
    first = clipped(f"{card.task.id} {who}".rstrip(), wide)
    return first, clipped("  " + card.task.title, wide) if card.task.title else ""
