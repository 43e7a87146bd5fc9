"""Lines to the letter of the five protocols, as their agents write them."""

import itertools
import json
from typing import Final

_NUMBER = itertools.count(100)

MANAGER: Final = "emp-manager-001"


def minute(number: int) -> str:
    """Return the time of an office line, so many minutes after ten."""
    return f"2026-02-11T10:{number:02d}:00Z"


# --- office ---


def claim(task: str, worker: str, at: str = minute(0), deps_met: str = "yes") -> str:
    return (
        f"[{at}] [CLAIM] task-{task} | title: Home Page | by: {worker} | difficulty: 3 | deps-met: {deps_met}"
    )


def delivery(task: str, worker: str, at: str = minute(0)) -> str:
    return f"[{at}] [DELIVERY] task-{task} | by: {worker} | files: home.html | criteria-met: all"


def info(worker: str, text: str, at: str = minute(0)) -> str:
    return f"[{at}] [INFO] by: {worker} | {text}"


def heartbeat(worker: str, task: str, at: str = minute(0)) -> str:
    return f"[{at}] [HEARTBEAT] {worker} | status: working | current-task: task-{task} | action: coding"


def approval(task: str, worker: str, at: str = minute(0)) -> str:
    return f"[{at}] [APPROVAL] task-{task} approved for {worker}. Status: In Progress."


def done(task: str, worker: str, at: str = minute(0)) -> str:
    return f"[{at}] [DONE] task-{task} marked Done. Delivered by {worker}."


def reply(worker: str, text: str, at: str = minute(0)) -> str:
    return f"[{at}] [REPLY] To {worker}: {text}"


def reject(task: str, worker: str, reason: str, at: str = minute(0)) -> str:
    return f"[{at}] [REJECT] task-{task} claim by {worker} rejected: {reason}."


# --- swarm ---


def post(sender: str, to: str, kind: str, content: str, **more: object) -> str:
    """Return a line of a channel, compact as `echo` in the protocol writes it."""
    fields = {
        "ts": "2026-01-25T23:45:00.000Z",
        "from": sender,
        "to": [to] if to else None,
        "type": kind,
        "reasoning": "The parser needs it.",
        "content": content,
        **more,
    }
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


# --- vermas ---


def mail(sender: str, to: str, subject: str, body: str, **more: object) -> str:
    fields = {
        "id": f"msg-{next(_NUMBER)}",
        "from": sender,
        "to": to,
        "subject": subject,
        "body": body,
        "timestamp": "2026-01-01T00:00:00Z",
        **more,
    }
    return json.dumps(fields, ensure_ascii=False)


def work_mail(sender: str, to: str, kind: str, order: str) -> str:
    """Return typed mail about a work order, such as WORKER_DONE."""
    return mail(
        sender, to, f"{kind} {order}", "See the branch.", type=kind, metadata={"work_order_id": order}
    )


def work_order(order: str, owner: str = "ceo") -> str:
    fields = {
        "id": order,
        "title": "Feature X",
        "description": "...",
        "status": "open",
        "priority": 2,
        "type": "task",
        "created_at": "2025-12-28T13:10:32Z",
        "created_by": owner,
    }
    return json.dumps(fields)


# --- runbus ---


def block_id(agent: str) -> str:
    return f"MSG-20260126-101500-{agent}-{next(_NUMBER)}"


def block(
    kind: str, agent: str, body: str, *, name: str = "", task: str = "TASK-parser", more: str = ""
) -> str:
    """Return a message of the bus file; `more` holds further lines of its front matter."""
    head = [
        f"messageId: {name or block_id(agent)}",
        f"type: {kind}",
        f"agent: {agent}",
        "timestamp: 2026-01-26T10:15:00Z",
        "runId: run_001",
        f"taskId: {task}",
        *more.splitlines(),
    ]
    return "\n".join(["---", *head, "---", "", body, "", "---"])


# --- collab ---


def chat(sender: str, receiver: str, text: str, at: str = "03:15:44") -> str:
    return f"2026-02-22 {at} {sender} -> {receiver}: {text}"
