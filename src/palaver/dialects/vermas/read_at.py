"""`read_at` in the lines of `.work/messages.jsonl`: when the recipient has read the message."""

from palaver.model.plain import dumps
from palaver.model.strict_json import NotAnObject, loads_object


def unread(line: bytes) -> tuple[str, str] | None:
    """Return the id and the recipient of a message that is not marked as read; None for other lines."""
    if not line.strip() or b'"read_at":"' in line:
        return None
    try:
        fields = loads_object(line.strip())
    except NotAnObject:
        return None
    if fields.get("read_at"):
        return None
    return str(fields.get("id")), str(fields.get("to")).removeprefix("@").lower()


def mark(line: bytes, at: str) -> bytes:
    """Return the line, marked as read."""
    return dumps({**loads_object(line.strip()), "read_at": at}).encode()
