"""Redact: a secret leaves the log, the views and the snapshots; the chain still verifies.

First `log.redacted {seq, was, now}` is appended and synced, then the line is overwritten in place with
one of equal length: same number, same routing, no text (docs/adr/0009). If we die in between, verify says
that the redaction is not finished, and doing it again finishes it.

What is taken out is what was said: subject, body, reasoning, files, artifacts, meta. Who spoke to whom, the
act, the task and the idempotency key stay.
"""

import os
from dataclasses import dataclass, field, replace

from palaver.bus.admin.event_history import find_event
from palaver.bus.admin.snapshot import start_anew
from palaver.bus.mail.message_check import encodable, harmless
from palaver.bus.operations import keys
from palaver.bus.operations.fields import EventRef, Key, Reason, RewriteFiles, Speaker
from palaver.bus.operations.operation import appends, operation
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.files.regular import open_regular
from palaver.log import redaction
from palaver.log.redaction import KEPT_FIELDS, KEPT_OF_A_FINDING
from palaver.model.errors import BadArguments, LogLocked
from palaver.model.event import Draft, Event, number, table, text
from palaver.model.limits import LOCK_SECONDS, TELLING_CHARS
from palaver.views.files.findings import findings_of
from palaver.views.fold import sender_of
from palaver.views.mail import search


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactResult:
    """The number of the event, and what else was done, in words."""

    seq: int
    done: list[str]
    #: Lines of mounted files that still hold the text, and files that were rewritten without it.
    held: list[str] = field(default_factory=list)
    rewritten: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"redacted": self.seq, "done": self.done, "held": self.held, "rewritten": self.rewritten}


def _redacted_before(seq: int) -> RedactResult:
    return RedactResult(seq=seq, done=[f"{seq} was redacted before"])


@operation(appends, repeat=lambda _, first: _redacted_before(int(keys.expect_done(first, "redact"))))
def redact(
    session: Session,
    event: EventRef,
    *,
    rewrite_files: RewriteFiles = False,
    reason: Reason = "",
    by: Speaker = "",
    key: Key = "",
) -> RedactResult:
    """Remove the text of a message from the log, permanently."""
    actor = session.speaker(by)
    found = find_event(session, event) if isinstance(event, str) else session.log.event(event)
    seq = found.seq if found is not None else int(event)
    require(session, "redact", by=actor, over=sender_of(found) if found is not None else "")
    # What was rendered and is not confirmed yet would be taken for a new message afterwards.
    session.sync.settle()
    result = _redact(session, seq, by=actor, reason=reason)
    keys.mark_done(session, "redact", actor, key, about=str(seq))
    return _about_files(session, result, found, is_rewriting=rewrite_files)


def _about_files(
    session: Session, result: RedactResult, event: Event | None, *, is_rewriting: bool
) -> RedactResult:
    """Return the result with the mounted files that hold the text; rewrite them first if that is wanted."""
    if event is None or event.event_type != "mail.sent":
        return result
    rewritten = session.sync.rewrite_files(event) if is_rewriting else []
    held = session.sync.lines_of(event)
    done = [*result.done, *(f"{each} was rewritten without the text" for each in rewritten)]
    way_out = "edit it by hand" if is_rewriting else "--rewrite-files takes it out"
    done += [f"{each} still holds the text: {way_out}" for each in held]
    done += [f"event {seq} holds the text, too: palaver redact {seq}" for seq in _quoting(session, event)]
    return replace(result, done=done, held=held, rewritten=rewritten)


def _quoting(session: Session, event: Event) -> list[int]:
    """Return the other events that have the text of a message, such as a notice that quotes its line."""
    words = text(event.data, "body")
    if len(words) < TELLING_CHARS:
        return []
    return [
        each.seq
        for batch in session.log.batches()
        for each in batch.events
        if each.event_type in KEPT_FIELDS and each.seq != event.seq and _has(each.data, words)
    ]


def _has(value: object, words: str) -> bool:
    """Return True if a plain value has these words in one of its texts."""
    if isinstance(value, dict):
        return any(_has(each, words) for each in value.values())
    if isinstance(value, list):
        return any(_has(each, words) for each in value)
    return isinstance(value, str) and words in value


def _redact(core: Session, seq: int, *, by: str, reason: str) -> RedactResult:
    encodable(reason)
    harmless(reason)

    def announcement(was: str, now: str) -> Draft:
        return draft("log.redacted", by, {"seq": seq, "was": was, "now": now, "reason": reason})

    _blank_quarantined(core, core.log.event(seq))
    if not redaction.redact(core.log, seq, kept=_kept, announcement=announcement):
        return _redacted_before(seq)
    done = _forgotten(core, seq)
    # Not before: until then, redacting again does all of this again.
    core.log.finish_redaction(seq)
    return RedactResult(seq=seq, done=done)


def _blank_quarantined(core: Session, event: Event | None) -> None:
    """Overwrite the bytes of a quarantine entry, where they are kept."""
    place = table(event.data, "kept") if event is not None else {}
    file, length = text(place, "in"), number(place, "len")
    if not file.endswith(".bin") or "/" in file:
        return
    try:
        fd = open_regular(f"{core.root.quarantine}/{file}", os.O_WRONLY)
    except FileNotFoundError:
        return
    try:
        os.pwrite(fd, b" " * length, number(place, "at"))
        os.fsync(fd)
    finally:
        os.close(fd)


def _kept(event: Event) -> list[dict[str, object]]:
    """Return what may stay of the data of an event: all that routed it, and less where that is too long."""
    if event.event_type not in KEPT_FIELDS:
        raise BadArguments(
            f"cannot redact {event.seq}",
            f"it is an event of the type {event.event_type}",
            "only messages, findings and quarantined bytes can be",
        )
    names = KEPT_FIELDS[event.event_type]
    routing = _some(event.data, names)
    if "found" in event.data:
        # What a finding says may quote the line; that there was one, and who was told, stays.
        routing["found"] = [_some(each, KEPT_OF_A_FINDING) for each in findings_of(event)]
    unsigned = {name: value for name, value in routing.items() if name not in ("from", "found")}
    least = {name: value for name, value in unsigned.items() if name != "undeliverable"}
    return [{**each, "redacted": True} for each in (routing, unsigned, least)]


def _some(fields: dict[str, object], names: tuple[str, ...]) -> dict[str, object]:
    return {name: fields[name] for name in names if name in fields}


def _forgotten(core: Session, seq: int) -> list[str]:
    """Take the text out of everything that was made from the log."""
    core.view.rebuild()
    if not core.view_lock.acquire(LOCK_SECONDS):
        raise LogLocked(
            "cannot take the text out of the search index", "it is in use", f"palaver redact {seq} again"
        )
    try:
        search.remove(core.root.view)
    finally:
        core.view_lock.release()
    done = ["the view and the search index were rebuilt"]
    if start_anew(core):
        done.append("the history of snapshots held the text and was started again")
    return done
