"""Operations on mail: send it, list it, read it, wait for it."""

from typing import Annotated

from msgspec import Meta

from palaver.bus.mail import conversations as threads_of
from palaver.bus.mail import mail_wait, mailbox
from palaver.bus.mail import send as sender_of
from palaver.bus.mail.conversations import MessageHistory
from palaver.bus.mail.mailbox import Listing, Mail
from palaver.bus.mail.message_check import SendResult
from palaver.bus.operations import keys
from palaver.bus.operations.fields import (
    Act,
    AllowSecret,
    Artifacts,
    Body,
    Files,
    Key,
    MessageId,
    MessageIds,
    Metadata,
    Priority,
    Reasoning,
    RecipientList,
    Recipients,
    Rows,
    RunId,
    Scope,
    Seconds,
    Speaker,
    Stage,
    Subject,
    TaskId,
    Words,
)
from palaver.bus.operations.operation import appends, operation, reads, writes
from palaver.bus.operations.request import PYTHON_ONLY
from palaver.bus.session import Session
from palaver.model.event import Event, texts
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import Message

Messages = Annotated[list[Message], Meta(description="messages to send", extra={PYTHON_ONLY: 1})]


@operation(appends)
def send(
    session: Session,
    to: Recipients,
    body: Body = "",
    *,
    sender: Speaker = "",
    subject: Subject = "",
    act: Act = "inform",
    priority: Priority = "normal",
    reasoning: Reasoning = "",
    task: TaskId = "",
    run: RunId = "",
    reply_to: MessageId = "",
    files: Files = None,
    artifacts: Artifacts = None,
    meta: Metadata = None,
    key: Key = "",
    allow_secret: AllowSecret = False,
) -> SendResult:
    """Send a message. It is safe on the disk when this returns."""
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
    return sender_of.send(session, message, key=key, allow_secret=allow_secret)


@operation(appends)
def send_many(
    session: Session, messages: Messages, *, key: Key = "", allow_secret: AllowSecret = False
) -> list[SendResult]:
    """Send many messages with one sync. A crash in the middle leaves the first of them."""
    if not key:
        return sender_of.send_many(session, messages, allow_secret=allow_secret)
    return [
        sender_of.send(session, message, key=f"{key}/{number}", allow_secret=allow_secret)
        for number, message in enumerate(messages)
    ]


@operation(writes)
def reply(
    session: Session,
    message_id: MessageId,
    body: Body,
    *,
    sender: Speaker = "",
    act: Act = "answer",
    key: Key = "",
    allow_secret: AllowSecret = False,
) -> SendResult:
    """Reply to the sender of a message, in its thread."""
    parent = sender_of.find(session, message_id)
    subject = parent.subject and f"Re: {parent.subject.removeprefix('Re: ')}"
    return send(
        session,
        parent.sender,
        body,
        sender=sender,
        subject=subject,
        act=act,
        reply_to=parent.id,
        key=key,
        allow_secret=allow_secret,
    )


@operation(writes)
def resend(
    session: Session, message_id: MessageId, to: RecipientList, *, sender: Speaker = "", key: Key = ""
) -> SendResult:
    """Send a message again, to other recipients: the way out for undeliverable mail."""
    old = sender_of.find(session, message_id)
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
    )


def _withdrawn_before(session: Session, first: Event) -> list[str]:
    message_id = str(keys.expect(first, "mail.withdrawn").data["message_id"])
    return mailbox.keepers(session, message_id)


@operation(writes, repeat=_withdrawn_before)
def withdraw(session: Session, message_id: MessageId, *, agent: Speaker = "", key: Key = "") -> list[str]:
    """Withdraw a message from every recipient that has not read it; return the agents that have."""
    return mailbox.withdraw(session, session.speaker(agent), message_id, key=key)


@operation(reads)
def inbox(
    session: Session, agent: Speaker = "", *, scope: Scope = "open", limit: Rows = ROWS_DEFAULT
) -> Listing:
    """List an agent's mail: urgent, normal, low, oldest first within each."""
    return mailbox.list_inbox(session, session.speaker(agent), scope=scope, limit=limit)


def _read_before(session: Session, first: Event) -> list[Mail]:
    event = keys.expect(first, "mail.read")
    return mailbox.find_all(session, event.actor, texts(event.data, "message_ids"))


@operation(writes, repeat=_read_before)
def read(
    session: Session, ids: MessageIds | None = None, *, agent: Speaker = "", key: Key = ""
) -> list[Mail]:
    """Read messages and record it. Without ids, the next unread one."""
    return mailbox.read(session, session.speaker(agent), ids or [], key=key)


def _acknowledged_before(session: Session, first: Event) -> list[str]:
    del session
    return texts(keys.expect(first, "mail.acknowledged").data, "message_ids")


@operation(writes, repeat=_acknowledged_before)
def ack(session: Session, ids: MessageIds, *, agent: Speaker = "", key: Key = "") -> list[str]:
    """Acknowledge messages; return the ids that were not acknowledged before."""
    return mailbox.acknowledge(session, session.speaker(agent), ids, key=key)


def _archived_before(session: Session, first: Event) -> list[str]:
    del session
    return texts(keys.expect(first, "mail.archived").data, "message_ids")


@operation(writes, repeat=_archived_before)
def archive(session: Session, ids: MessageIds, *, agent: Speaker = "", key: Key = "") -> list[str]:
    """Archive messages; return the ids that were not archived before."""
    return mailbox.archive(session, session.speaker(agent), ids, key=key)


@operation(reads)
def wait(
    session: Session, *, agent: Speaker = "", timeout: Seconds = 60.0, limit: Rows = ROWS_DEFAULT
) -> Listing:
    """Wait for unread mail and return it."""
    return mail_wait.wait_for_mail(session, session.speaker(agent), timeout=timeout, limit=limit)


@operation(reads)
def wait_for(session: Session, message_id: MessageId, stage: Stage, *, timeout: Seconds = 60.0) -> None:
    """Wait until every recipient of a message has reached a stage."""
    mail_wait.wait_for_stage(session, message_id, stage, timeout=timeout)


@operation(reads)
def thread(session: Session, message_id: MessageId) -> list[MessageHistory]:
    """Return the conversation of a message, with every delivery record."""
    return threads_of.thread(session, message_id)


@operation(reads)
def search(session: Session, wanted: Words, *, limit: Rows = ROWS_DEFAULT) -> list[Message]:
    """Find the newest messages that contain all the words."""
    return threads_of.look_for(session, wanted, limit=limit)
