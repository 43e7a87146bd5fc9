"""The vocabulary of vermas: its files, message types, event types, assignments and codes."""

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Final, NamedTuple

MAIL: Final = ".work/messages.jsonl"
ORDERS: Final = ".work/work_orders.jsonl"
EVENTS: Final = ".work/events.jsonl"
ASSIGNMENT: Final = ".assignment-"
#: The roles of the company, and those of each of its factories.
COMPANY_ROLES: Final = ("ceo", "operations")
FACTORY_ROLES: Final = ("supervisor", "qa")
_ROLES: Final = ("worker", *FACTORY_ROLES, *COMPANY_ROLES)


class MessageType(NamedTuple):
    """A message type: the act it expresses, and the roles that send and receive it (none: any role)."""

    name: str
    act: str
    senders: tuple[str, ...]
    recipients: tuple[str, ...]
    #: Whether it is about a work order.
    is_about_work: bool = False


_MESSAGE_TYPES: Final = (
    MessageType("WORKER_DONE", "deliver", ("worker",), ("supervisor",), is_about_work=True),
    MessageType("READY_FOR_QA", "ready", ("supervisor",), ("qa",), is_about_work=True),
    MessageType("MERGED", "accept", ("qa",), (), is_about_work=True),
    MessageType("REWORK_REQUEST", "rework", ("qa",), (), is_about_work=True),
    MessageType("NUDGE", "nudge", ("supervisor",), ("worker",)),
    MessageType("SUPERVISOR_PING", "ping", ("operations",), ("supervisor",)),
    MessageType("HELP", "ask", (), ("supervisor", "ceo")),
    MessageType("HANDOFF", "handoff", (), ()),
    MessageType("ESCALATION", "escalate", (), ("operations", "ceo")),
)
#: Name → message type.
TYPES: Final = {kind.name: kind for kind in _MESSAGE_TYPES}
#: Act → the message type that expresses it.
TYPE_OF_ACT: Final = {kind.act: kind for kind in _MESSAGE_TYPES}
#: The id of a work order in a text, and a subject that begins with a type: "WORKER_DONE: wo-123".
_ORDER: Final = re.compile(r"\bwo-[\w.-]*\w")
#: In another case it needs an underscore or a colon: "Merged: wo-1" is a type, "Help me" is not.
_ANY: Final = "|".join(TYPES)
_COMPOUND: Final = "|".join(name for name in TYPES if "_" in name)
_TYPED: Final = re.compile(
    rf"({_ANY}|(?i:{_COMPOUND})|(?i:{_ANY})(?=\s*:))(?:\s*:|\s|\Z)\s*([A-Za-z]+-[\w.-]*\w)?"
)
#: The message type that carries a `block`, with an act tag.
BLOCK: Final = TYPES["HELP"]
HANDOFF: Final = TYPES["HANDOFF"]
#: "🤝 HANDOFF: Brief description": the emoji marks mail that continues a session.
HANDSHAKE: Final = "🤝 HANDOFF: "

ASSIGNMENT_TYPES: Final = ("work_order", "mail", "process")
STATUSES: Final = ("open", "assigned", "in_progress", "closed")
#: Other words for the status of an order, which are read and never written → the state that they mean.
OTHER_STATUSES: Final = {
    "ready_for_review": "checking",
    "blocked": "blocked",
    "failed": "blocked",
    "merged": "done",
    "done": "done",
}
ISSUE_TYPES: Final = ("task", "bug", "feature", "epic", "merge-request", "event", "message")
TITLE_CHARS: Final = 100

EVENT_TYPES: Final = frozenset(
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
    # The events of the bus itself, in the same file.
    + ["work_order.lease_ended", "config.applied", "rule.broken", "patrol.notified"]
    + [f"mail.{x}" for x in ("acknowledged", "withdrawn")]
    + [f"agent.{x}" for x in ("registered", "retired", "polled", "activity", "killed")]
    + [f"run.{x}" for x in ("started", "output", "idle", "killing", "ended")]
)
#: Other names of the same event.
EVENT_ALIASES: Final = {"agent.assignment_checked": "assignment.checked"}

#: The subject of a message that says nothing; read as empty.
ABSENT: Final = "(no subject)"
#: Keys of `metadata`: the work order, and the fields for which vermas has none.
WORK_ORDER_ID: Final = "work_order_id"
BESIDE: Final = "palaver"

CODES: Final = {
    "VER001": "the line is not one JSON object",
    "VER002": "the line is longer than a record may be",
    "VER003": "from or to is missing, or is not a name",
    "VER004": "a required field is missing",
    "VER005": "the time is missing or is not a time",
    "VER006": "the message type does not exist",
    "VER007": "the priority does not exist",
    "VER008": "the id of a message cannot be used",
    "VER009": "the record belongs in another file",
    "VER010": "a field has the wrong type",
    "VER011": "a work order breaks its schema",
    "VER012": "an assignment is not one line of type:id",
    "VER013": "an event breaks its schema",
    "VER014": "the event type is unknown",
    "VER015": "a field under metadata.palaver cannot be used",
}


def message_type(word: str) -> MessageType | None:
    """Return the type that a word means, in any case: `worker_done`, `Worker-Done`."""
    return TYPES.get(word.strip().upper().replace("-", "_").replace(" ", "_"))


def nearest_type(word: str) -> MessageType | None:
    """Return the type that a misspelt word probably means: `WORKER_DNE`."""
    close = get_close_matches(word.strip().upper(), TYPES, n=1, cutoff=0.8)
    return TYPES[close[0]] if close else None


def status_of(written: object) -> str:
    """Return the status that a word means, in any case: `In-Progress`."""
    return str(written).strip().lower().replace("-", "_").replace(" ", "_")


def typed_subject(subject: str) -> tuple[MessageType | None, str]:
    """Return the type that a subject begins with, None without one, and the work order that it names."""
    typed = _TYPED.match(subject)
    order = _ORDER.search(subject)
    named = typed[2] if typed and typed[2] else order[0] if order else ""
    return TYPES[typed[1].upper()] if typed else None, named


def file_of(fields: Collection[str]) -> str:
    """Return the file that a record with these fields belongs in, or an empty text if that is not clear."""
    if "event_type" in fields:
        return EVENTS
    if "title" in fields:
        return ORDERS
    return MAIL if "from" in fields and "to" in fields else ""


def role_of(address: str) -> str:
    """Return the role that an address names, or an empty text if it names none."""
    for segment in address.split("/"):
        for role in _ROLES:
            if segment in (role, f"{role}s"):
                return role
    return ""
