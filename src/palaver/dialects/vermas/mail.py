"""One line of `messages.jsonl`: its message, and `read_at`, when the recipient has read it."""

from collections.abc import Mapping
from typing import Final

from palaver.dialects.shared.act_tag import read_act_tag
from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, Problem, Unreadable
from palaver.dialects.shared.translation import read_address, restore, trusted_fields
from palaver.dialects.vermas import grammar
from palaver.model.board_files import MailLine
from palaver.model.clock_text import to_utc
from palaver.model.masking.masks import clip
from palaver.model.message import PRIORITIES, Message, title_of
from palaver.model.mounted_files import Provenance, ReadMark, content_id
from palaver.model.names import is_id
from palaver.model.plain import dumps
from palaver.model.strict_json import NotAnObject, loads_object

_KNOWN: Final = frozenset(
    ["id", "from", "to", "subject", "body", "timestamp", "type", "message_type", "priority", "read_at",
     "metadata", "undeliverable"]
)  # fmt: skip
_ISO: Final = "use ISO 8601: 2026-02-22T03:15:44.000Z"


def read_mail(
    fields: Mapping[str, object], problems: list[Problem], provenance: Provenance = Provenance.ALL
) -> tuple[Message] | tuple[Message, ReadMark]:
    """Return the message of a line and its read mark, if it has one; or raise `Unreadable`."""
    sender, to = _name(fields.get("from"), "from"), _recipients(fields.get("to"))
    metadata = {} if fields.get("metadata") is None else fields["metadata"]
    if type(metadata) is not dict:
        raise Unreadable("VER010", "metadata is not an object", "write an object, or leave it out")
    message_id, written, body = (_text(fields, field, problems) for field in ("id", "subject", "body"))
    if not message_id and not written and not body:
        raise Unreadable("VER004", "it has neither id, subject nor body", "write at least one of them")
    at, priority = _time(fields, problems), _priority(fields, problems)
    kind = fields.get("type") or fields.get("message_type") or ""
    subject, act, task, tag = _subject(written, str(kind), problems)
    order = metadata.get(grammar.WORK_ORDER_ID)
    message = Message(
        sender=sender,
        to=to,
        id=message_id,
        subject=subject,
        body=body,
        at=at,
        priority=priority,
        act=act,
        task=order if type(order) is str else task,
        tag=tag,
        undeliverable=fields.get("undeliverable") is True,
        meta=_meta(fields, metadata),
    )
    if message.subject == default_subject(message):
        message = message.replace(subject="")
    beside = metadata.get(grammar.BESIDE)
    if type(beside) is dict:
        trusted = trusted_fields(beside, message, provenance, shortens=False)
        message, unusable = restore(message, trusted, bad_name="VER003", crowd="VER003")
        fix = "leave it as palaver wrote it"
        problems += [Problem("VER015", f"metadata.palaver.{name} cannot be used", fix) for name in unusable]
    if not message.id:
        message = message.replace(id=content_id(message))
    elif not is_id(message.id):
        what = f"the id {clip(message.id, 40)!r} cannot be used, and the message gets another"
        problems.append(Problem("VER008", what, "use letters, digits, '.', '-' and '_'"))
    mark = _read_at(fields)
    if fields.get("read_at") and not mark:
        problems.append(Problem("VER005", "read_at is not a time", f"leave it out, or {_ISO}"))
    return (message, ReadMark(message_id=message.id, reader=to[0], read_at=mark)) if mark else (message,)


def read_line(line: bytes) -> MailLine | None:
    """Return what a line is; None if it is no message to one recipient."""
    try:
        fields = _fields(line)
    except NotAnObject:
        return None
    to = fields.get("to")
    if type(to) is not str or type(fields.get("from")) is not str:
        return None
    return MailLine(
        id=str(fields.get("id") or ""),
        to=to.removeprefix("@").lower(),
        is_read=bool(_read_at(fields)),
        is_undeliverable=fields.get("undeliverable") is True,
    )


def correct_line(line: bytes, changes: Mapping[str, object]) -> bytes:
    """Return the line with other values of some fields."""
    return dumps({**_fields(line), **changes}).encode()


def _fields(line: bytes) -> dict[str, object]:
    return loads_object(line.removeprefix(BYTE_ORDER_MARK).strip())


def default_subject(message: Message) -> str:
    """Return the subject of a message that has none: its first words, else its type and its work order."""
    if title := title_of(message.body):
        return title
    kind = grammar.TYPE_OF_ACT.get(message.act)
    if kind is None:
        return grammar.ABSENT
    return f"{kind.name}: {message.task}" if message.task else kind.name


def _subject(written: str, kind: str, problems: list[Problem]) -> tuple[str, str, str, str]:
    """Return subject, act, task and tag: an act tag decides, then the handshake, the type, the subject."""
    tagged = read_act_tag(written)
    if tagged is not None:
        act, task, rest = tagged
        return rest, act, task, ""
    named, (said, order) = grammar.message_type(kind), grammar.typed_subject(written)
    if written.startswith(grammar.HANDSHAKE) and (not kind or named is grammar.HANDOFF):
        return written.removeprefix(grammar.HANDSHAKE), grammar.HANDOFF.act, "", ""
    if kind and named is None:
        message = f"the message type {clip(kind, 40)!r} does not exist"
        meant = grammar.nearest_type(kind)
        fix = f"write {meant.name}" if meant else f"leave it out, or use one of {', '.join(grammar.TYPES)}"
        problems.append(Problem("VER006", message, fix))
        return written, "inform", "", kind
    found = named or said
    if found is None:
        return written, "inform", "", ""
    return written, found.act, order if found.is_about_work else "", ""


def _meta(fields: Mapping[str, object], metadata: Mapping[str, object]) -> dict[str, object]:
    """Return the fields for which vermas has no name, and the rest of `metadata`."""
    meta = {name: value for name, value in fields.items() if name not in _KNOWN}
    if metadata:
        has_order = type(metadata.get(grammar.WORK_ORDER_ID)) is str
        reserved = (grammar.WORK_ORDER_ID, grammar.BESIDE) if has_order else (grammar.BESIDE,)
        meta.update({name: value for name, value in metadata.items() if name not in reserved})
    return meta


def _name(value: object, field: str) -> str:
    if type(value) is not str or not value:
        raise Unreadable("VER003", f"'{field}' is missing or is not a name", f"write a name in '{field}'")
    return read_address(value, "VER003")


def _recipients(value: object) -> list[str]:
    if type(value) is not list:
        return [_name(value, "to")]
    if not value:
        raise Unreadable("VER003", "'to' is empty", "write a name in 'to'")
    return [_name(each, "to") for each in value]


def _text(fields: Mapping[str, object], field: str, problems: list[Problem]) -> str:
    value = fields.get(field)
    if type(value) is str:
        return value
    if value is not None:
        raise Unreadable("VER010", f"'{field}' is not a string", f"write '{field}' in quotes")
    problems.append(Problem("VER004", f"'{field}' is missing", f"every message has '{field}'"))
    return ""


def _time(fields: Mapping[str, object], problems: list[Problem]) -> str:
    value = fields.get("timestamp")
    at = to_utc(value.strip()) if type(value) is str else ""
    if not at:
        problems.append(Problem("VER005", "the time is missing or cannot be read", _ISO))
    return at


def _read_at(fields: Mapping[str, object]) -> str:
    value = fields.get("read_at")
    return to_utc(value.strip()) if type(value) is str else ""


def _priority(fields: Mapping[str, object], problems: list[Problem]) -> str:
    value = fields.get("priority")
    if str(value).lower() in PRIORITIES:
        return str(value).lower()
    if value is not None:
        message = f"the priority {clip(str(value), 20)!r} does not exist"
        problems.append(Problem("VER007", message, f"use one of {', '.join(PRIORITIES)}"))
    return "normal"
