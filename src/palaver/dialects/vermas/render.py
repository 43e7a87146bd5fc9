"""A message as lines of `messages.jsonl`: one per recipient; `metadata` holds what has no field."""

from palaver.dialects.shared.act_tag import with_act_tag
from palaver.dialects.shared.translation import missing_fields
from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.mail import read_mail
from palaver.model.dialect import Mount
from palaver.model.message import Message
from palaver.model.plain import dumps
from palaver.model.strict_json import loads_object


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the lines of a message; parsed, they give the same message."""
    assert (mount.dialect, path) == ("vermas", grammar.MAIL), "all mail is in one file"
    return b"".join(line(message, recipient) for recipient in message.to)


def line(message: Message, recipient: str, *, read_at: str = "") -> bytes:
    """Return the line for one recipient; `read_at` is when it was read, if it was."""
    fields = _native(message, recipient)
    if missing_fields(message, _read(fields, message)).keys() & {"act", "task", "subject"}:
        fields = _general(message, recipient)
    missing = missing_fields(message, _read(fields, message))
    if missing:
        metadata = fields.get("metadata")
        kept = metadata if type(metadata) is dict else {}
        fields["metadata"] = {**kept, grammar.BESIDE: missing}
    assert not missing_fields(message, _read(fields, message)), "a rendered message must parse as itself"
    if read_at:
        fields["read_at"] = read_at
    return (dumps(fields) + "\n").encode()


def _native(message: Message, recipient: str) -> dict[str, object]:
    subject = message.subject
    if message.act == "handoff":
        subject = grammar.HANDSHAKE + subject
    elif message.act == "block":
        subject = with_act_tag("block", subject)
    kind = grammar.BLOCK if message.act == "block" else grammar.TYPE_OF_ACT.get(message.act)
    return _fields(message, recipient, kind.name if kind else "", subject)


def _general(message: Message, recipient: str) -> dict[str, object]:
    return _fields(message, recipient, "", with_act_tag(message.act, message.subject))


def _fields(message: Message, recipient: str, kind: str, subject: str) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": message.id,
        "from": message.sender,
        "to": recipient,
        "subject": subject or grammar.ABSENT,
        "body": message.body,
        "timestamp": message.at,
    }
    if kind:
        fields["type"] = kind
    if message.priority != "normal":
        fields["priority"] = message.priority
    metadata: dict[str, object] = {grammar.WORK_ORDER_ID: message.task} if message.task else {}
    reserved = (grammar.WORK_ORDER_ID, grammar.BESIDE)
    metadata.update({name: value for name, value in message.meta.items() if name not in reserved})
    if metadata:
        fields["metadata"] = metadata
    if message.undeliverable:
        fields["undeliverable"] = True
    return fields


def _read(fields: dict[str, object], message: Message) -> Message:
    """Return what our own parser makes of the fields, to all recipients."""
    found, _ = read_mail(loads_object(dumps({**fields, "to": message.to}).encode()), [])
    return found
