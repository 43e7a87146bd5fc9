"""Redact: a secret leaves the log, the views and the snapshots; the chain still verifies.

First `log.redacted {seq, was, now}` is appended and synced, then the line is overwritten in place with
one of equal length: same number, same routing, no text (docs/adr/0009). If we die in between, verify says
that the redaction is not finished, and doing it again finishes it.

What is taken out is what was said: subject, body, reasoning, files, artifacts, meta. Who spoke to whom, the
act, the task and the idempotency key stay.
"""

import os

from palaver.bus.mail.message_check import encodable, harmless
from palaver.bus.replacement import replace
from palaver.bus.session import Session, draft
from palaver.bus.snapshots import start_anew
from palaver.log import segments
from palaver.log.reader import storage
from palaver.log.record import body, decode, hashed, line
from palaver.log.regular import open_regular
from palaver.model.errors import BadArguments, LogLocked, NotFound, StorageFailed
from palaver.model.event import Event, flag, number, text
from palaver.model.limits import LOCK_SECONDS
from palaver.views.mail import search

# What of a message stays: whom it concerned, not what it said.
_KEPT = ("message_id", "from", "to", "act", "priority", "task", "run", "reply_to", "hops", "undeliverable")
_WHICH = ("mail.sent", "file.quarantined")


def redact(core: Session, seq: int, *, by: str, reason: str = "") -> list[str]:
    """Take the text of an event out of the log for good; return what else was done, in words."""
    encodable(reason)
    harmless(reason)
    try:
        segment, offset, raw = _place(core, seq)
    except OSError as fault:
        raise storage(fault, core.log.directory) from fault
    event = decode(raw)
    spare = f"{core.root.path}/redact.{seq}"
    redacted = event is not None and flag(event.data, "redacted")
    if redacted and not os.path.exists(spare):
        return [f"{seq} was redacted before"]
    vouched = _vouched(core, seq)
    if redacted:
        fresh = raw
    elif event is not None:
        fresh = _redacted(event, len(raw))
        # Kept aside until it stands: a line that is half overwritten cannot say what it should become.
        replace(spare, fresh)
        if vouched is None:
            data: dict[str, object] = {"seq": seq, "was": hashed(raw), "now": hashed(fresh), "reason": reason}
            core.log.append([draft("log.redacted", by, data)])
    else:
        fresh = _spare(spare, seq, vouched)
    _overwrite(segments.path_of(core.log.directory, segment), offset, fresh)
    done = _forgotten(core, seq)
    # Not before: as long as it lies there, redacting again does all of this again.
    os.unlink(spare)
    return done


def _forgotten(core: Session, seq: int) -> list[str]:
    """Take the text out of everything that was made from the log."""
    core.view.rebuild("a message was redacted")
    if not core.view_lock.acquire(LOCK_SECONDS):
        raise LogLocked(
            "cannot take the text out of the search index", "it is in use", f"palaver redact {seq} again"
        )
    try:
        search.remove(core.root.view)
    finally:
        core.view_lock.release()
    done = ["the view and the search index were made anew"]
    if start_anew(core.root):
        done.append("the history of snapshots held the text and was started anew")
    return done


def _spare(path: str, seq: int, vouched: Event | None) -> bytes:
    """Return the line that a redaction which was cut off wanted to write."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            fresh = file.read()
    except OSError:
        fresh = b""
    if vouched is None or hashed(fresh) != text(vouched.data, "now"):
        raise NotFound(f"cannot redact {seq}", "its line is damaged", "palaver verify shows where")
    return fresh


def _place(core: Session, seq: int) -> tuple[int, int, bytes]:
    firsts = [first for first in segments.listed(core.log.directory) if first <= seq]
    if firsts:
        offset = 0
        wanted = b'{"v":1,"seq":%d,' % seq
        for raw in segments.content(core.log.directory, firsts[-1]).split(b"\n")[:-1]:
            if raw.startswith(wanted):
                event = decode(raw)
                if event is not None and event.event_type not in _WHICH:
                    raise BadArguments(
                        f"cannot redact {seq}",
                        f"it is a {event.event_type}",
                        "only messages and quarantined bytes can be",
                    )
                return firsts[-1], offset, raw
            offset += len(raw) + 1
    raise NotFound(f"no event {seq}", "the log has no such number", "palaver events lists them")


def _vouched(core: Session, seq: int) -> Event | None:
    """Return the event of a redaction that was begun."""
    from palaver.bus.history import backwards

    for event in backwards(core, lambda raw: b'"log.redacted"' in raw):
        if event.event_type == "log.redacted" and number(event.data, "seq") == seq:
            return event
    return None


def _redacted(event: Event, length: int) -> bytes:
    """Return the line without its text, as long as the one it replaces."""
    kept = (
        {name: event.data[name] for name in _KEPT if name in event.data}
        if event.event_type == "mail.sent"
        else {}
    )
    for dropped in ("", "from", "undeliverable"):
        kept.pop(dropped, None)
        event.data = {**kept, "redacted": True}
        short = line(event.seq, body(event), event.prev)
        if len(short) <= length:
            return line(event.seq, body(event) + b" " * (length - len(short)), event.prev)
    event.data = {}
    short = line(event.seq, body(event), event.prev)
    return line(event.seq, body(event) + b" " * (length - len(short)), event.prev)


def _overwrite(path: str, offset: int, fresh: bytes) -> None:
    try:
        fd = open_regular(path, os.O_WRONLY)
        try:
            os.pwrite(fd, fresh, offset)
            os.fdatasync(fd)
        finally:
            os.close(fd)
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {path}", fault.strerror or str(fault), "mend it and redact again"
        ) from fault
