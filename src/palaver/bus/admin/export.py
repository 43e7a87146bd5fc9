"""Events for other programs, as CloudEvents 1.0: one object each.

`source` and `id` together are unique; `sequence` is the number in the log, padded so that it sorts; extension
names are lower-case letters and digits, as the specification demands.
"""

from collections.abc import Iterator

from palaver.bus.admin import event_history
from palaver.bus.session import Session
from palaver.model.event import Event, text


def exported(
    session: Session, *, event_type: str = "", actor: str = "", after: int = 0
) -> Iterator[dict[str, object]]:
    """Yield every event that fits, as it stands now; `mail.*` fits every kind of mail."""
    source = f"/palaver/{session.root.path.split('/')[-2]}"
    family = event_type.removesuffix("*")
    for event in event_history.follow(session, after, timeout=0.0):
        fits = event.event_type == event_type or (
            family != event_type and event.event_type.startswith(family)
        )
        if (fits or not event_type) and actor in ("", event.actor):
            yield cloudevent(event, source)


def cloudevent(event: Event, source: str) -> dict[str, object]:
    """Return an event in the JSON format of CloudEvents."""
    fields: dict[str, object] = {
        "specversion": "1.0",
        "id": event.event_id,
        "source": source,
        "type": f"dev.palaver.{event.event_type}.v1",
        "time": event.timestamp,
        "datacontenttype": "application/json",
        "sequence": f"{event.seq:016d}",
        "actor": event.actor,
        "authtype": event.auth,
    }
    subject = text(event.data, "message_id") or text(event.data, "agent")
    optional = {"subject": subject, "correlationid": event.correlation_id, "causationid": event.caused_by}
    fields.update({name: value for name, value in optional.items() if value})
    fields["data"] = event.data
    return fields
