"""Events as CloudEvents 1.0: one object each, for tools that speak that.

`source` and `id` together are unique; `sequence` is the number in the log, padded so that it sorts;
extension names are lower-case letters and digits, as the specification wants them.
"""

from palaver.model.event import Event, text


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
