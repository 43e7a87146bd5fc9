"""What vermas files hold besides mail: work orders, assignments and events.

Fields are in the order in which they appear in the log.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from palaver.model.dialect import Record
from palaver.model.plain import dumps


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

    def render(self) -> bytes:
        """Return its line."""
        known: dict[str, object] = {
            "id": self.id,
            "title": self.title,
            "status": self.status,
            "priority": self.priority,
        }
        known["issue_type" if "issue_type" in self.fields else "type"] = self.issue_type
        return f"{dumps({**self.fields, **known})}\n".encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentRecord(Record):
    """What an agent is to work on: `work_order:wo-abc12`, `mail:msg-xyz99` or `process:proc-123abc`."""

    kind: ClassVar[str] = "Assignment"
    #: The agent as the file name has it, `/` written as `-`: it can be compared, but not converted back.
    agent: str
    ref_type: str
    ref_id: str

    def render(self) -> bytes:
        """Return the one line of the file."""
        return f"{self.ref_type}:{self.ref_id}\n".encode()


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

    def render(self) -> bytes:
        """Return its line."""
        fields: dict[str, object] = {
            "event_id": self.event_id,
            "event_type": self.event_type,
            "timestamp": self.timestamp,
            "actor": self.actor,
        }
        if self.correlation_id:
            fields["correlation_id"] = self.correlation_id
        if self.caused_by:
            fields["caused_by"] = self.caused_by
        fields["data"] = dict(self.data)
        return f"{dumps(fields)}\n".encode()
