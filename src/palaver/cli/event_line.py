"""Events, one line each."""

from palaver.cli.show import clipped, safe
from palaver.model.event import Event, original_file, source_of, text, texts
from palaver.model.message import from_event, headline

# The fields that describe an event best, if it is not a message.
_TELLING = ("task", "title", "run", "process_id", "step_id", "code", "reason", "why", "message")


def event_line(event: Event) -> str:
    """Return an event as one line for a person."""
    at = event.timestamp[11:23]
    return (
        f"{event.seq:>7}  {at}  {event.event_type:<18} {clipped(safe(event.actor), 24):<14} {_about(event)}"
    )


def _about(event: Event) -> str:
    if event.event_type == "mail.sent":
        message = from_event(event)
        act = f"[{message.act}] " if message.act != "inform" else ""
        return clipped(f"{message.id} → {', '.join(message.to)}: {act}{headline(message)}", 100)
    ids = texts(event.data, "message_ids") or texts(event.data, "message_id") or texts(event.data, "agent")
    words = [*ids, text(event.data, "stage"), text(event.data, "reason")]
    if not ids:
        words = [_where(event), *(text(event.data, name) for name in _TELLING)]
    return clipped(" ".join(word for word in words if word), 100)


def _where(event: Event) -> str:
    """Return the file that an event is about."""
    source = source_of(event) or event.data
    mount, file = text(source, "mount"), original_file(text(source, "file"))
    return f"{mount}:{file}" if mount and file else mount
