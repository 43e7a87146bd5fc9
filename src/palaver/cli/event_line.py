"""Events, one line each."""

from palaver.cli.show import clipped, safe
from palaver.model.event import Event, original_file, source_of, text, texts
from palaver.model.message import from_event, headline
from palaver.views.files.findings import findings_of

# The fields that describe an event best, if it is not a message: names, and what somebody has written.
_NAMES = ("task", "run", "process_id", "step_id", "code")
_TEXTS = ("title", "reason", "why", "message")
# The fields of an event that hold no text of an agent; numbers and truths are none either.
_PLAIN = frozenset([
    *_NAMES, "message_id", "message_ids", "from", "to", "act", "priority", "reply_to", "agent", "recipient",
    "reader", "by", "stage", "holder", "owner", "rule", "start", "how", "kind", "mount", "file",
])  # fmt: skip


def event_line(event: Event, *, has_texts: bool = True) -> str:
    """Return an event as one line for a person; without texts it can go to a log that others read."""
    at, about = event.timestamp[11:23], _about(event, has_texts=has_texts)
    if codes := ", ".join(text(each, "code") for each in findings_of(event)):
        about += f"  ! {codes}"
    return f"{event.seq:>7}  {at}  {event.event_type:<18} {clipped(safe(event.actor), 24):<14} {about}"


def event_fields(event: Event, *, has_texts: bool = True) -> dict[str, object]:
    """Return an event for programs; without texts it can go to a log that others read."""
    fields = event.plain()
    if not has_texts:
        fields["data"] = {
            name: value
            for name, value in event.data.items()
            if name in _PLAIN or isinstance(value, (int, float, type(None)))
        }
    return fields


def _about(event: Event, *, has_texts: bool) -> str:
    if event.event_type == "mail.sent":
        message = from_event(event)
        act = f"[{message.act}] " if message.act != "inform" else ""
        said = headline(message) if has_texts else ""
        return clipped(f"{message.id} → {', '.join(message.to)}: {act}{said}".rstrip(" :"), 100)
    if event.event_type == "assignment.checked":
        return text(event.data, "ref") or "nothing assigned"
    ids = texts(event.data, "message_ids") or texts(event.data, "message_id") or texts(event.data, "agent")
    words = [*(ids or [_where(event)]), text(event.data, "stage")]
    if not ids:
        words += [text(event.data, name) for name in _NAMES]
    if has_texts:
        words += [text(event.data, name) for name in (("reason",) if ids else _TEXTS)]
    return clipped(" ".join(word for word in words if word), 100)


def _where(event: Event) -> str:
    """Return the file that an event is about."""
    source = source_of(event) or event.data
    mount, file = text(source, "mount"), original_file(text(source, "file"))
    return f"{mount}:{file}" if mount and file else mount
