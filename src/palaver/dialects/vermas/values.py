"""What the files of vermas hold besides mail: work orders, assignments, events, and marks of reading.

Their fields are in the order in which the log says them.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from _collections_abc import Mapping

from palaver.model.plain import dumps
from palaver.model.value import Value


class WorkOrder(Value):
    """One work order, as `.work/work_orders.jsonl` holds it."""

    __slots__ = ("id", "title", "status", "priority", "issue_type", "fields")  # noqa: RUF023 - as the log says

    def __init__(
        self,
        *,
        id: str,  # noqa: A002 - the field is called id
        title: str,
        status: str = "open",
        priority: int = 2,
        issue_type: str = "task",
        fields: Mapping[str, object] | None = None,
    ) -> None:
        """Take what is said of it; `fields` is every field as it was written, known or not, in its order."""
        self.id = id
        self.title = title
        self.status = status
        self.priority = priority
        self.issue_type = issue_type
        self.fields: Mapping[str, object] = fields or {}

    def render(self) -> bytes:
        """Return its line."""
        known: dict[str, object] = {
            "id": self.id,
            "title": self.title,
            "status": self.status,
            "priority": self.priority,
            "type": self.issue_type,
        }
        written = dict(self.fields)
        if "issue_type" in written:
            known["issue_type"] = known.pop("type")
        return (dumps({**written, **known} if written else known) + "\n").encode()


class Assignment(Value):
    """What waits for an agent: `work_order:wo-abc12`, `mail:msg-xyz99` or `process:proc-123abc`."""

    __slots__ = ("agent", "ref_type", "ref_id")  # noqa: RUF023 - as the log says

    def __init__(self, *, agent: str, ref_type: str, ref_id: str) -> None:
        """Take what waits, and for whom.

        He is called as the file is, `/` written as `-`: it cannot be told back, only compared.
        """
        self.agent = agent
        self.ref_type = ref_type
        self.ref_id = ref_id

    def render(self) -> bytes:
        """Return the file's one line."""
        return f"{self.ref_type}:{self.ref_id}\n".encode()


class WorkEvent(Value):
    """One line of `.work/events.jsonl`."""

    __slots__ = (
        *("event_id", "event_type", "timestamp", "actor", "data", "correlation_id"),
        "caused_by",
    )

    def __init__(
        self,
        *,
        event_id: str,
        event_type: str,
        timestamp: str,
        actor: str,
        data: Mapping[str, object],
        correlation_id: str = "",
        caused_by: str = "",
    ) -> None:
        """Take what happened, when, and by whom."""
        self.event_id = event_id
        self.event_type = event_type
        self.timestamp = timestamp
        self.actor = actor
        self.data = data
        self.correlation_id = correlation_id
        self.caused_by = caused_by

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
        return (dumps(fields) + "\n").encode()


class ReadMark(Value):
    """That a line of `messages.jsonl` says its recipient has read it."""

    __slots__ = ("message_id", "reader", "read_at")  # noqa: RUF023 - as the log says

    def __init__(self, *, message_id: str, reader: str, read_at: str) -> None:
        """Take the message, who has read it, and when."""
        self.message_id = message_id
        self.reader = reader
        self.read_at = read_at
