"""The words of vermas: files, message types, event types, assignments, and who says what to whom.

From the protocol:

    | Type | From | To | Purpose |
    | WORKER_DONE     | Worker     | Supervisor      | Work completed       |
    | READY_FOR_QA    | Supervisor | QA              | Ready for merge      |
    | MERGED          | QA         | Author          | Successfully merged  |
    | REWORK_REQUEST  | QA         | Author          | Changes needed       |
    | NUDGE           | Supervisor | Worker          | Wake up idle worker  |
    | SUPERVISOR_PING | Operations | Supervisor      | Health check         |
    | HELP            | Any        | Supervisor/CEO  | Request assistance   |
    | HANDOFF         | Any        | Self/Next       | Session continuity   |
    | ESCALATION      | Any        | Operations/CEO  | Problem report       |

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Mapping

MAIL = ".work/messages.jsonl"
WORK_ORDERS = ".work/work_orders.jsonl"
EVENTS = ".work/events.jsonl"
ASSIGNMENT = ".assignment-"
#: How the paths of all of them start.
ASSIGNMENTS = f".work/{ASSIGNMENT}"

#: Type → the act that it is read as, and that is written as it.
TYPES: Mapping[str, str] = {
    "WORKER_DONE": "deliver",
    "READY_FOR_QA": "ready",
    "MERGED": "accept",
    "REWORK_REQUEST": "rework",
    "NUDGE": "nudge",
    "SUPERVISOR_PING": "ping",
    "HELP": "ask",
    "HANDOFF": "handoff",
    "ESCALATION": "escalate",
}
#: Act → the type that carries it; block is a call for help that says so.
CARRIERS: Mapping[str, str] = {act: kind for kind, act in TYPES.items()} | {"block": "HELP"}
#: Type → the roles that may send it, and those it may go to; none named: anyone.
SENDERS: Mapping[str, tuple[str, ...]] = {
    "WORKER_DONE": ("worker",),
    "READY_FOR_QA": ("supervisor",),
    "MERGED": ("qa",),
    "REWORK_REQUEST": ("qa",),
    "NUDGE": ("supervisor",),
    "SUPERVISOR_PING": ("operations",),
}
RECIPIENTS: Mapping[str, tuple[str, ...]] = {
    "WORKER_DONE": ("supervisor",),
    "READY_FOR_QA": ("qa",),
    "NUDGE": ("worker",),
    "SUPERVISOR_PING": ("supervisor",),
    "HELP": ("supervisor", "ceo"),
    "ESCALATION": ("operations", "ceo"),
}
#: "🤝 HANDOFF: Brief description": the emoji says that it is for the continuity of a session.
HANDSHAKE = "🤝 HANDOFF: "

ASSIGNMENT_TYPES = ("work_order", "mail", "process")
STATUSES = ("open", "assigned", "in_progress", "closed")
ISSUE_TYPES = ("task", "bug", "feature", "epic", "merge-request", "event", "message")
TITLE_CHARS = 100

EVENT_TYPES = frozenset(
    [f"work_order.{x}" for x in ("created", "updated", "status_changed", "assigned", "closed")]
    + [f"mail.{x}" for x in ("sent", "delivered", "read", "archived")]
    + [f"agent.{x}" for x in ("started", "working", "idle", "nudged", "stopped")]
    + [f"assignment.{x}" for x in ("set", "checked", "cleared")]
    + [f"process.{x}" for x in ("created", "step_started", "step_completed", "completed", "cancelled")]
    + [
        "verify." + x
        for x in ("started", "spec_created", "tests_generated", "test_executed", "audited", "verdict")
    ]
    + ["patrol.completed", "metrics.snapshot"]
    # What a bus adds to them: its own events stand in the same file.
    + ["work_order.lease_ended", "config.applied", "rule.broken", "patrol.notified"]
    + [f"mail.{x}" for x in ("acknowledged", "withdrawn")]
    + [f"agent.{x}" for x in ("registered", "retired", "polled", "activity", "killed")]
    + [f"run.{x}" for x in ("started", "output", "idle", "killing", "ended")]
)
#: Two names of one event.
EVENT_ALIASES: Mapping[str, str] = {"agent.assignment_checked": "assignment.checked"}

#: What stands where a required field has nothing to say; read back as nothing.
ABSENT = "-"
#: Beside the text, under `metadata`: the work order, and what vermas has no field for.
WORK_ORDER_ID = "work_order_id"
BESIDE = "palaver"

CODES: Mapping[str, str] = {
    "VER001": "the line is not one JSON object",
    "VER002": "the line is longer than a record may be",
    "VER003": "from or to is missing or is no name",
    "VER004": "a required field is missing",
    "VER005": "the time is missing or is none",
    "VER006": "the type is none of the nine",
    "VER007": "the priority is none of urgent, normal, low",
    "VER010": "a field has the wrong type",
    "VER011": "a work order breaks its schema",
    "VER012": "an assignment is not one line of type:id",
    "VER013": "an event breaks its schema",
    "VER014": "the event type is not known",
    "VER015": "what stands beside the text cannot be used",
}
