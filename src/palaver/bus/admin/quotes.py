"""What an event says, and which other events quote it: all of them hold the text of one that is redacted."""

import os
from dataclasses import dataclass

from palaver.bus.session import Session
from palaver.files.regular import open_regular
from palaver.log.redaction import KEPT_FIELDS
from palaver.model.event import Event, flag, number, table, text, texts
from palaver.model.limits import QUOTED_BYTES, TELLING_CHARS
from palaver.model.names import BUS


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotes:
    """The events that hold the text of another one."""

    #: Notices of the bus about it, and the other runs of lines of a quarantine entry.
    parts: tuple[Event, ...] = ()
    #: Events of others, such as a reply with its subject.
    others: tuple[Event, ...] = ()


def telling_texts(session: Session, event: Event) -> list[str]:
    """Return the texts of an event that are too long to be in another one by chance."""
    data = event.data
    said = [text(data, name) for name in ("body", "subject", "reasoning", "text")]
    said += texts(data, "artifacts")
    if event.event_type == "file.quarantined":
        said += _quarantined(session, event).split("\n")
    return [each for each in dict.fromkeys(map(str.strip, said)) if len(each) >= TELLING_CHARS]


def find_quotes(session: Session, event: Event, said: list[str]) -> Quotes:
    """Return the events that quote one that says this."""
    parts: list[Event] = []
    others: list[Event] = []
    for batch in session.log.batches():
        for each in batch.events:
            if each.event_type not in KEPT_FIELDS or each.seq == event.seq or flag(each.data, "redacted"):
                continue
            if _is_part(each, event):
                parts.append(each)
            elif any(_has(each.data, words) for words in said):
                others.append(each)
    return Quotes(parts=tuple(parts), others=tuple(others))


def _is_part(each: Event, event: Event) -> bool:
    """Return True if an event is a notice about the line of another one, or has the same quarantine entry."""
    if each.event_type == "file.quarantined":
        return bool(event.data.get("id")) and each.data.get("id") == event.data.get("id")
    has_findings = event.event_type != "mail.sent" or "found" in event.data
    return has_findings and each.actor == BUS and each.caused_by == event.event_id


def _has(value: object, words: str) -> bool:
    """Return True if a plain value has these words in one of its texts."""
    if isinstance(value, dict):
        return any(_has(each, words) for each in value.values())
    if isinstance(value, list):
        return any(_has(each, words) for each in value)
    return isinstance(value, str) and words in value


def _quarantined(session: Session, event: Event) -> str:
    """Return the bytes of a quarantine entry as text, as far as they are kept."""
    place = table(event.data, "kept")
    file = text(place, "in")
    if not file.endswith(".bin") or "/" in file:
        return ""
    try:
        fd = open_regular(f"{session.root.quarantine}/{file}", os.O_RDONLY)
    except OSError:
        return ""
    try:
        content = os.pread(fd, min(number(place, "len"), QUOTED_BYTES), number(place, "at"))
    finally:
        os.close(fd)
    return content.decode("utf-8", "replace")
