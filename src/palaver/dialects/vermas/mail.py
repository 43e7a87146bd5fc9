"""A line of `messages.jsonl` as a message."""

from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.lines import Notebook, Wrong
from palaver.dialects.vermas.times import utc
from palaver.dialects.vermas.values import ReadMark
from palaver.model.errors import BadName
from palaver.model.message import PRIORITIES, Message
from palaver.model.names import address
from palaver.model.saying import heard
from palaver.model.translation import completed

_KNOWN = frozenset(
    ["id", "from", "to", "subject", "body", "timestamp", "type", "message_type", "priority", "read_at",
     "metadata", "undeliverable"]
)  # fmt: skip


def message(fields: dict[str, object], notes: Notebook) -> tuple[Message, ReadMark | None]:
    """Return what a line says, and the mark that it was read; or raise `Wrong`."""
    sender, to = _named(fields, "from"), _recipients(fields)
    metadata = fields.get("metadata", {})
    if type(metadata) is not dict:
        raise Wrong("VER010", "metadata is no object", "write an object, or leave it out")
    found = Message(
        sender=sender,
        to=to,
        id=_text(fields, "id", notes),
        subject=_text(fields, "subject", notes),
        body=_text(fields, "body", notes),
        at=_time(fields, notes),
        priority=_priority(fields, notes),
        undeliverable=fields.get("undeliverable") is True,
    )
    if not found.id and not found.subject and not found.body:
        raise Wrong("VER004", "it has neither id, subject nor body", "say something")
    _act(found, fields, notes)
    _beside(found, fields, metadata, notes)
    read_at = fields.get("read_at")
    mark = utc(read_at) if type(read_at) is str else ""
    return found, ReadMark(message_id=found.id, reader=to[0], read_at=mark) if mark else None


def _act(found: Message, fields: dict[str, object], notes: Notebook) -> None:
    """Find the act: a T at the start of the subject decides, then the type, then the handshake."""
    written = fields.get("type") or fields.get("message_type") or ""
    if found.subject == grammar.ABSENT:
        found.subject = ""
    said = heard(found.subject)
    if said is not None:
        found.act, found.task, found.subject = said
        return
    kind = written if type(written) is str else ""
    if found.subject.startswith(grammar.HANDSHAKE) and kind in ("", "HANDOFF"):
        found.act = "handoff"
        found.subject = found.subject.removeprefix(grammar.HANDSHAKE)
    elif kind in grammar.TYPES:
        found.act = grammar.TYPES[kind]
    elif written:
        found.tag = str(written)
        notes.note(
            "VER006",
            f"the type {str(written)[:40]!r} is none of the nine",
            "leave it out, or use one of them",
        )


def _beside(found: Message, fields: dict[str, object], metadata: dict[str, object], notes: Notebook) -> None:
    """Put in the work order, the free fields, and what travels beside the text."""
    order = metadata.get(grammar.WORK_ORDER_ID)
    if type(order) is str:
        found.task = order
    reserved = (grammar.WORK_ORDER_ID, grammar.BESIDE) if type(order) is str else (grammar.BESIDE,)
    if len(fields) > 6:
        found.meta = {name: value for name, value in fields.items() if name not in _KNOWN}
    if metadata:
        found.meta.update({name: value for name, value in metadata.items() if name not in reserved})
        beside = metadata.get(grammar.BESIDE)
        if type(beside) is dict:
            for name in completed(found, beside):
                notes.note(
                    "VER015", f"metadata.palaver.{name} cannot be used", "leave it as palaver wrote it"
                )


def _named(fields: dict[str, object], field: str) -> str:
    value = fields.get(field)
    if type(value) is not str or not value:
        raise Wrong("VER003", f"'{field}' is missing or is no name", f"say who, in '{field}'")
    try:
        return address(value)
    except BadName as bad:
        raise Wrong("VER003", f"'{field}': {bad}", "use the agent's address") from bad


def _recipients(fields: dict[str, object]) -> list[str]:
    value = fields.get("to")
    if type(value) is not list:
        return [_named(fields, "to")]
    if not value:
        raise Wrong("VER003", "'to' is empty", "say who, in 'to'")
    return [_named({"to": each}, "to") for each in value]


def _text(fields: dict[str, object], field: str, notes: Notebook) -> str:
    value = fields.get(field)
    if type(value) is str:
        return value
    if value is not None:
        raise Wrong("VER010", f"'{field}' is no text", f"write '{field}' in quotes")
    notes.note("VER004", f"'{field}' is missing", f"every message has '{field}'")
    return ""


def _time(fields: dict[str, object], notes: Notebook) -> str:
    value = fields.get("timestamp")
    at = utc(value) if type(value) is str else ""
    if not at:
        notes.note(
            "VER005", "the time is missing or cannot be read", "use ISO 8601: 2026-02-22T03:15:44.000Z"
        )
    return at


def _priority(fields: dict[str, object], notes: Notebook) -> str:
    value = fields.get("priority")
    if value in PRIORITIES:
        return str(value)
    if value is not None:
        notes.note(
            "VER007", f"the priority {str(value)[:20]!r} is not known", f"use one of {', '.join(PRIORITIES)}"
        )
    return "normal"
