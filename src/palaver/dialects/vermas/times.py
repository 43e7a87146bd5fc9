"""Times as vermas writes them: ISO 8601, any zone, read as UTC."""

import re
from datetime import UTC, datetime
from typing import Final

# Days that every month has; the others are looked up in the calendar.
_USUAL: Final = re.compile(
    r"[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z"
)


def utc(written: str) -> str:
    """Return the time in UTC, `2026-02-22T03:15:44Z`, with its fraction; nothing if it is none."""
    try:
        if _USUAL.fullmatch(written):
            return written
        leap = re.sub(r":60(?=[.Z+-]|$)", ":59", written.strip())
        found = datetime.fromisoformat(leap.upper().replace(" ", "T", 1))
        if found.tzinfo is not None:
            found = found.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    shown = found.replace(tzinfo=None).isoformat(timespec="milliseconds" if found.microsecond else "seconds")
    return f"{shown}Z"
