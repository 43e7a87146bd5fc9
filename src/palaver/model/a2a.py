"""The states of a task in A2A (the agent-to-agent protocol), both ways.

A2A states that have no counterpart are read as the nearest one.
"""

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
FROM_A2A = {
    "submitted": "open",
    "working": "working",
    "input-required": "blocked",
    "auth-required": "blocked",
    "completed": "done",
    "canceled": "cancelled",
    "failed": "cancelled",
    "rejected": "cancelled",
    "unknown": "open",
}
