"""Idempotency keys: the same (actor, key) again does nothing more.

The log stores an event with a key once, with the digest of the request that the key stands for: a repetition
is answered, and another request under the same key is refused (docs/adr/0061). In the name of another agent
than that of its run, a process has keys of its own: they use up none of the real agent. Operations whose
work is not one event of their own (they edit the config, or a file) leave `operation.done` in the log, with
the key.
"""

import json
from collections.abc import Mapping
from hashlib import blake2b

from palaver.bus.mail.message_check import encodable, harmless
from palaver.bus.session import Session, draft
from palaver.model.errors import BadArguments, KeyConflict
from palaver.model.event import Draft, Event, flag, text, texts
from palaver.model.limits import KEY_CHARS
from palaver.model.names import BUS
from palaver.views.agents.power import bearer_of

DONE = "operation.done"


def check_key(key: str) -> None:
    """Refuse a key that no log should hold."""
    if len(key) > KEY_CHARS:
        raise BadArguments("cannot use the key", f"it is longer than {KEY_CHARS} characters", "use an id")
    encodable(key)
    harmless(key, "key")


def digest(name: str, fields: Mapping[str, object]) -> str:
    """Return the digest of a request: what is asked for, and the value of each field."""
    content = json.dumps([name, fields], sort_keys=True, default=repr)
    return blake2b(content.encode(), digest_size=8).hexdigest()


def find(session: Session, actor: str, key: str) -> Event | None:
    """Return the event that has this key of this actor, None if there is none."""
    if _is_fresh(session, key):
        return None
    used = (actor, _own(session, actor, key))
    rows = session.view.current().execute("select seq from key where actor = ? and key = ?", used)
    return session.log.event(int(rows[0][0])) if rows else None


def append(session: Session, event: Draft) -> Event:
    """Append an event, or return the one that this request has appended; refuse a key of another request."""
    stored = append_once(session, event)
    if stored.event_id != event.event_id:
        expect_request(session, expect(stored, event.event_type))
    return stored


def append_once(session: Session, event: Draft) -> Event:
    """Append an event; if its key is in the log already, return the event that has it."""
    if not event.key:
        return session.log.append([event])[0]
    check_key(event.key)
    key, request = session.request
    if key and (event.key == key or event.key.startswith(f"{key}/")):
        event.request = request
    asked, event.key = event.key, _own(session, event.actor, event.key)
    if _is_fresh(session, asked):
        # Nobody else uses it while its caller waits for us. One that does not wait gets another answer.
        return session.log.append([event], check_new=session.check_caller)[0]
    db = session.view.current()
    # Read the position first: the log itself finds every later use of the key.
    [(reached,)] = db.execute("select seq from place")
    first = find(session, event.actor, asked)
    return session.log.append([event], since=first.seq - 1 if first else int(reached))[0]


def _is_fresh(session: Session, key: str) -> bool:
    """Return True if a key was made just now, for this command."""
    return bool(session.fresh_key) and key.partition("/")[0] == session.fresh_key


def _own(session: Session, actor: str, key: str) -> str:
    """Return a key as the log has it."""
    bearer = bearer_of(Event({"inside": session.inside}))
    return f"{key}/inside {bearer}" if bearer not in ("", actor) and actor != BUS else key


def expect_request(session: Session, first: Event) -> None:
    """Refuse the request that a session answers, if the first event of its key is of another request."""
    _, request = session.request
    # The digest of a redacted event is gone: its key is trusted.
    if request and first.request != request and not flag(first.data, "redacted"):
        raise _conflict(first)


def expect(event: Event, event_type: str) -> Event:
    """Return the first event of a key, if it is of this type; refuse a key that belongs to something else."""
    if event.event_type != event_type:
        raise _conflict(event)
    return event


def field_of(event: Event, event_type: str, name: str) -> str:
    """Return a field of the first event of a key, which must be of this type."""
    return text(expect(event, event_type).data, name)


def ids_of(event: Event, event_type: str) -> list[str]:
    """Return the messages of the first event of a key, which must be of this type."""
    return texts(expect(event, event_type).data, "message_ids")


def expect_done(event: Event, operation: str) -> str:
    """Return what an operation under this key was about; refuse a key that belongs to another operation."""
    data = expect(event, DONE).data
    if text(data, "operation") != operation:
        raise _conflict(event)
    return text(data, "about")


def _conflict(event: Event) -> KeyConflict:
    done = text(event.data, "operation") if event.event_type == DONE else event.event_type
    return KeyConflict(
        f"cannot use the key {event.key!r} again",
        f"it was used for another request ({done}, event {event.seq})",
        "use a new key",
    )


def mark_done(session: Session, operation: str, actor: str, key: str, *, about: str = "") -> None:
    """Record that an operation without an event of its own was done under a key."""
    if key:
        append(session, draft(DONE, actor, {"operation": operation, "about": about}, key=key))
