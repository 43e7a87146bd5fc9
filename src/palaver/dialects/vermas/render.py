"""A message as lines of `messages.jsonl`: one per recipient; `metadata` holds what has no field."""

from functools import partial
from typing import Final

from palaver.dialects.shared.act_tag import with_act_tag
from palaver.dialects.shared.translation import render_complete
from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.mail import default_subject, read_mail
from palaver.model.message import Message
from palaver.model.mounted_files import Mount
from palaver.model.plain import dumps
from palaver.model.strict_json import loads_object

#: What a line must bring back without `metadata`.
_WORDS: Final = frozenset(["act", "task", "subject"])


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the lines of a message; parsed, they give the same message."""
    assert (mount.dialect, path) == ("vermas", grammar.MAIL), "all mail is in one file"
    ways = (
        native_words(message),
        ("", with_act_tag(message.act, message.subject or default_subject(message))),
    )
    writers = (partial(_line, message, kind, subject) for kind, subject in ways)
    line = render_complete(message, writers, lambda content: read_mail(loads_object(content), [])[0], _WORDS)
    assert line is not None
    fields = loads_object(line)
    return b"".join(f"{dumps({**fields, 'to': recipient})}\n".encode() for recipient in message.to)


def native_words(message: Message) -> tuple[str, str]:
    """Return the type and the subject that a message has here; the type is empty if it has none."""
    native = grammar.TYPE_OF_ACT.get(message.act)
    kind = native.name if native else ""
    subject = message.subject or default_subject(message)
    if message.act == grammar.HANDOFF.act:
        return kind, grammar.HANDSHAKE + subject
    if message.act == "block":
        return grammar.BLOCK.name, with_act_tag("block", subject)
    return kind, subject


def _line(message: Message, kind: str, subject: str, beside: dict[str, object]) -> bytes:
    """Return the line, to all recipients."""
    metadata: dict[str, object] = {grammar.WORK_ORDER_ID: message.task} if message.task else {}
    reserved = (grammar.WORK_ORDER_ID, grammar.BESIDE)
    metadata |= {name: value for name, value in message.meta.items() if name not in reserved}
    if beside:
        metadata[grammar.BESIDE] = beside
    fields: dict[str, object] = {
        "id": message.id,
        "from": message.sender,
        "to": message.to,
        "subject": subject,
        "body": message.body,
        "timestamp": message.at,
    }
    if kind:
        fields["type"] = kind
    if message.priority != "normal":
        fields["priority"] = message.priority
    if metadata:
        fields["metadata"] = metadata
    if message.undeliverable:
        fields["undeliverable"] = True
    return dumps(fields).encode()
