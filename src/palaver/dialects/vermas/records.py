"""What vermas files hold besides mail: work orders, events and assignments, and how their lines are read.

Fields are in the order in which they appear in the log.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final

from palaver.dialects.shared.pieces import Problem, Unreadable
from palaver.dialects.shared.translation import is_address
from palaver.dialects.vermas import grammar
from palaver.model.clock_text import to_utc
from palaver.model.event import table, text
from palaver.model.masking.masks import clip
from palaver.model.mounted_files import Record

# What may follow an assignment on its line.
_COMMENT: Final = re.compile(r"\s+#.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrder(Record):
    """One work order in `.work/work_orders.jsonl`."""

    kind: ClassVar[str] = "WorkOrder"
    id: str
    title: str
    status: str = "open"
    priority: int = 2
    issue_type: str = "task"
    #: Every field as it was written, known or not, in its order.
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentRecord(Record):
    """What an agent is to work on: `work_order:wo-abc12`, `mail:msg-xyz99` or `process:proc-123abc`."""

    kind: ClassVar[str] = "Assignment"
    #: The agent as the file name has it, `/` written as `-`: it can be compared, but not converted back.
    agent: str
    ref_type: str
    ref_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkEvent(Record):
    """One line of `.work/events.jsonl`."""

    kind: ClassVar[str] = "WorkEvent"
    event_id: str
    event_type: str
    timestamp: str
    actor: str
    data: Mapping[str, object]
    correlation_id: str = ""
    caused_by: str = ""


def read_work_order(fields: dict[str, object], problems: list[Problem]) -> WorkOrder:
    """Return the work order of a line, or raise `Unreadable`."""
    order_id, title = text(fields, "id"), text(fields, "title")
    status = grammar.status_of(fields.get("status") or "open")
    priority = fields.get("priority", 2)
    if not order_id:
        raise _order("it has no id", "give it one: wo-…")
    if type(priority) is not int or not 0 <= priority <= 4:
        raise _order(f"its priority is {priority!r}", "use a number from 0 to 4")
    _check_texts(fields, title)
    if status not in grammar.STATUSES:
        problems.append(_unknown_status(status))
    if not title:
        problems.append(Problem("VER011", f"{order_id} has no title", "describe the work in one line"))
    kind = text(fields, "issue_type") or text(fields, "type") or "task"
    if kind not in grammar.ISSUE_TYPES:
        problems.append(_unknown("type", kind, grammar.ISSUE_TYPES))
    return WorkOrder(
        id=order_id, title=title, status=status, priority=priority, issue_type=kind, fields=fields
    )


def _check_texts(fields: dict[str, object], title: str) -> None:
    """Raise `Unreadable` if the title or a name of a work order cannot be used."""
    if fields.get("title") and not title:
        raise _order("its title is not a string", "write it in quotes")
    if len(title) > grammar.TITLE_CHARS:
        raise _order(f"its title has {len(title)} characters", f"use at most {grammar.TITLE_CHARS}")
    for name in ("assignee", "created_by"):
        if fields.get(name) and not is_address(fields[name]):
            raise _order(f"its {name} is not a name", f"write the address of an agent in '{name}'")


def read_event(fields: dict[str, object], problems: list[Problem]) -> WorkEvent:
    """Return the event of a line, or raise `Unreadable`."""
    event_id, written = text(fields, "event_id"), text(fields, "event_type")
    if not event_id or not written:
        raise Unreadable("VER013", "it has no event_id or no event_type", "give it both")
    if type(fields.get("data", {})) is not dict:
        raise Unreadable("VER013", "its data is not an object", "write an object; {} if it is empty")
    known = grammar.EVENT_ALIASES.get(written, written)
    if known not in grammar.EVENT_TYPES:
        problems.append(
            Problem("VER014", f"the event type {written!r} is unknown", "it is kept; check the spelling")
        )
    at = to_utc(text(fields, "timestamp"))
    if not at:
        message = "the time of the event is missing or cannot be read"
        problems.append(Problem("VER005", message, "use ISO 8601 with milliseconds"))
    return WorkEvent(
        event_id=event_id,
        event_type=known,
        timestamp=at,
        actor=text(fields, "actor"),
        data=table(fields, "data"),
        correlation_id=text(fields, "correlation_id"),
        caused_by=text(fields, "caused_by"),
    )


def read_assignment(name: str, content: bytes) -> AssignmentRecord:
    """Return the assignment that a file holds, or raise `Unreadable`."""
    try:
        written = content.decode()
    except UnicodeDecodeError as fault:
        raise Unreadable("VER012", "it is not UTF-8", "write type:id") from fault
    if "\n" in written:
        raise Unreadable("VER012", "it has more than one line", "keep one line: an agent has one assignment")
    kind, colon, ref = _COMMENT.sub("", written).partition(":")
    if not colon or kind not in grammar.ASSIGNMENT_TYPES or not ref or any(c.isspace() for c in ref):
        kinds = ", ".join(grammar.ASSIGNMENT_TYPES)
        raise Unreadable(
            "VER012", f"{clip(written, 60)!r} is not type:id", f"use one of {kinds}, a colon, and an id"
        )
    return AssignmentRecord(agent=name.removeprefix(grammar.ASSIGNMENT), ref_type=kind, ref_id=ref)


def _unknown(field: str, value: object, known: tuple[str, ...]) -> Problem:
    return Problem("VER011", f"{field} {value!r} is unknown", f"use one of {', '.join(known)}")


def _unknown_status(status: str) -> Problem:
    found = _unknown("status", status, grammar.STATUSES)
    meaning = grammar.OTHER_STATUSES.get(status)
    return found._replace(message=f"{found.message}; it is read as {meaning}") if meaning else found


def _order(why: str, fix: str) -> Unreadable:
    return Unreadable("VER011", f"the work order breaks its schema: {why}", fix)
