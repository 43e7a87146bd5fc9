"""Operations that send mail: a new message, many, a reply, and a message again."""

from typing import Annotated

from msgspec import Meta

from palaver.bus.mail import send as post
from palaver.bus.mail.message_check import SendResult
from palaver.bus.operations import fields
from palaver.bus.operations.operation import appends, operation, writes
from palaver.bus.operations.request import PYTHON_ONLY
from palaver.bus.session import Session
from palaver.model.message import Message

Messages = Annotated[list[Message], Meta(description="messages to send", extra={PYTHON_ONLY: 1})]


@operation(appends)
def send(
    session: Session,
    to: fields.Recipients,
    body: fields.Body = "",
    *,
    sender: fields.Speaker = "",
    subject: fields.Subject = "",
    act: fields.Act = "inform",
    priority: fields.Priority = "normal",
    reasoning: fields.Reasoning = "",
    task: fields.TaskId = "",
    run: fields.RunId = "",
    reply_to: fields.MessageId = "",
    files: fields.Files = None,
    artifacts: fields.Artifacts = None,
    meta: fields.Metadata = None,
    key: fields.Key = "",
    allow_secret: fields.AllowSecret = False,
    allow_unknown: fields.AllowUnknown = False,
) -> SendResult:
    """Send a message; refuse if it reaches no agent. It is safe on the disk when this returns."""
    message = Message(
        sender=session.speaker(sender),
        to=[to] if isinstance(to, str) else to,
        body=body,
        subject=subject,
        act=act,
        priority=priority,
        reasoning=reasoning,
        task=task,
        run=run,
        reply_to=reply_to,
        files=files,
        artifacts=artifacts,
        meta=meta,
    )
    return post.send(session, message, key=key, allow_secret=allow_secret, allow_unknown=allow_unknown)


@operation(appends)
def send_many(
    session: Session,
    messages: Messages,
    *,
    key: fields.Key = "",
    allow_secret: fields.AllowSecret = False,
    allow_unknown: fields.AllowUnknown = False,
) -> list[SendResult]:
    """Send many messages with one sync. A crash in the middle leaves the first of them."""
    if not key:
        return post.send_many(session, messages, allow_secret=allow_secret, allow_unknown=allow_unknown)
    keys = [f"{key}/{number}" for number in range(len(messages))]
    if not allow_unknown:
        post.refuse_unreached(session, messages, keys)
    return [
        post.send(session, message, key=each, allow_secret=allow_secret, allow_unknown=True)
        for each, message in zip(keys, messages, strict=True)
    ]


@operation(writes)
def reply(
    session: Session,
    message_id: fields.MessageId,
    body: fields.Body,
    *,
    sender: fields.Speaker = "",
    act: fields.Act = "answer",
    run: fields.RunId = "",
    key: fields.Key = "",
    allow_secret: fields.AllowSecret = False,
    allow_unknown: fields.AllowUnknown = False,
) -> SendResult:
    """Reply to the sender of a message, in its thread."""
    parent = post.find(session, message_id)
    subject = parent.subject and f"Re: {parent.subject.removeprefix('Re: ')}"
    return send(
        session,
        parent.sender,
        body,
        sender=sender,
        subject=subject,
        act=act,
        run=run,
        reply_to=parent.id,
        key=key,
        allow_secret=allow_secret,
        allow_unknown=allow_unknown,
    )


@operation(writes)
def resend(
    session: Session,
    message_id: fields.MessageId,
    to: fields.RecipientList,
    *,
    sender: fields.Speaker = "",
    key: fields.Key = "",
    allow_unknown: fields.AllowUnknown = False,
) -> SendResult:
    """Send a message again, to other recipients: the way out for undeliverable mail."""
    old = post.find(session, message_id)
    return send(
        session,
        to,
        old.body,
        sender=sender,
        subject=old.subject,
        act=old.act,
        priority=old.priority,
        reasoning=old.reasoning,
        task=old.task,
        run=old.run,
        files=old.files,
        artifacts=old.artifacts,
        meta={**old.meta, "resent": old.id},
        key=key,
        allow_secret=True,
        allow_unknown=allow_unknown,
    )
