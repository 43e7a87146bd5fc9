"""A message as lines of `messages.jsonl`: one a recipient; what has no field stands in `metadata`."""

from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.lines import Notebook
from palaver.dialects.vermas.mail import message as read
from palaver.model.dialect import Mount
from palaver.model.message import Message
from palaver.model.plain import dumps
from palaver.model.saying import say
from palaver.model.strict import loads_object
from palaver.model.translation import lacking


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the lines of a message; they are read back as the same message."""
    assert (mount.dialect, path) == ("vermas", grammar.MAIL), "mail stands in one file"
    return b"".join(line(message, recipient) for recipient in message.to)


def line(message: Message, recipient: str, *, read_at: str = "") -> bytes:
    """Return the line for one recipient; `read_at` is what the view knows of it."""
    fields = _native(message, recipient)
    if lacking(message, _read(fields, message)).keys() & {"act", "task", "subject"}:
        fields = _general(message, recipient)
    missing = lacking(message, _read(fields, message))
    if missing:
        metadata = fields.get("metadata")
        kept = metadata if type(metadata) is dict else {}
        fields["metadata"] = {**kept, grammar.BESIDE: missing}
    assert not lacking(message, _read(fields, message)), "what we write we must be able to read"
    if read_at:
        fields["read_at"] = read_at
    return (dumps(fields) + "\n").encode()


def _native(message: Message, recipient: str) -> dict[str, object]:
    subject = message.subject
    if message.act == "handoff":
        subject = grammar.HANDSHAKE + subject
    elif message.act == "block":
        subject = say("block", subject)
    return _fields(message, recipient, grammar.CARRIERS.get(message.act, ""), subject)


def _general(message: Message, recipient: str) -> dict[str, object]:
    return _fields(message, recipient, "", say(message.act, message.subject))


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
    """Return what our own parser makes of the fields, as they will stand in the file."""
    found, _ = read(loads_object(dumps(fields).encode()), Notebook(""))
    # The recipients are the lines; nothing else says them.
    found.to = message.to
    return found
