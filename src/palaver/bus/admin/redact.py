"""Redact: a secret leaves the log, the views and the snapshots; the chain still verifies.

First `log.redacted {seq, was, now}` is appended and synced, then the line is overwritten in place with
one of equal length: same number, same routing, no text (docs/adr/0009). If we die in between, verify says
that the redaction is not finished, and doing it again finishes it.

What is taken out is what was said: subject, body, reasoning, files, artifacts, meta. Who spoke to whom, the
act, the task and the idempotency key stay.
"""

from dataclasses import dataclass

from palaver.bus.admin.event_history import find_event
from palaver.bus.admin.snapshot import start_anew
from palaver.bus.mail.message_check import encodable, harmless
from palaver.bus.operations import keys
from palaver.bus.operations.fields import EventRef, Key, Reason, Speaker
from palaver.bus.operations.operation import appends, operation
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.log import redaction
from palaver.model.errors import BadArguments, LogLocked
from palaver.model.event import Draft, Event
from palaver.model.limits import LOCK_SECONDS
from palaver.views.fold import sender_of
from palaver.views.mail import search

# The fields of a message that stay: who was concerned, not what was said.
_KEPT = ("message_id", "from", "to", "act", "priority", "task", "run", "reply_to", "hops", "undeliverable")
_WHICH = ("mail.sent", "file.quarantined")


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactResult:
    """The number of the event, and what else was done, in words."""

    seq: int
    done: list[str]

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {"redacted": self.seq, "done": self.done}


def _redacted_before(seq: int) -> RedactResult:
    return RedactResult(seq=seq, done=[f"{seq} was redacted before"])


@operation(appends, repeat=lambda _, first: _redacted_before(int(keys.expect_done(first, "redact"))))
def redact(
    session: Session, event: EventRef, *, reason: Reason = "", by: Speaker = "", key: Key = ""
) -> RedactResult:
    """Remove the text of a message from the log, permanently."""
    actor = session.speaker(by)
    found = find_event(session, event) if isinstance(event, str) else session.log.event(event)
    seq = found.seq if found is not None else int(event)
    require(session, "redact", by=actor, over=sender_of(found) if found is not None else "")
    result = _redact(session, seq, by=actor, reason=reason)
    keys.mark_done(session, "redact", actor, key, about=str(seq))
    return result


def _redact(core: Session, seq: int, *, by: str, reason: str) -> RedactResult:
    encodable(reason)
    harmless(reason)

    def announcement(was: str, now: str) -> Draft:
        return draft("log.redacted", by, {"seq": seq, "was": was, "now": now, "reason": reason})

    if not redaction.redact(core.log, seq, kept=_kept, announcement=announcement):
        return _redacted_before(seq)
    done = _forgotten(core, seq)
    # Not before: until then, redacting again does all of this again.
    core.log.finish_redaction(seq)
    return RedactResult(seq=seq, done=done)


def _kept(event: Event) -> list[dict[str, object]]:
    """Return what may stay of the data of an event: all that routed it, and less where that is too long."""
    if event.event_type not in _WHICH:
        raise BadArguments(
            f"cannot redact {event.seq}",
            f"it is an event of the type {event.event_type}",
            "only messages and quarantined bytes can be",
        )
    names = _KEPT if event.event_type == "mail.sent" else ()
    routing = {name: event.data[name] for name in names if name in event.data}
    unsigned = {name: value for name, value in routing.items() if name != "from"}
    least = {name: value for name, value in unsigned.items() if name != "undeliverable"}
    return [{**each, "redacted": True} for each in (routing, unsigned, least)]


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
    done = ["the view and the search index were rebuilt"]
    if start_anew(core):
        done.append("the history of snapshots held the text and was started again")
    return done
