"""Waits for mail, or until a message has reached a stage. Woken by events, not by polling."""

import time

from palaver.bus.mail.mailbox import Listing, list_offered, seconds_to_next_offer
from palaver.bus.operations.fields import MessageId, Rows, Seconds, Speaker, Stage
from palaver.bus.operations.operation import operation, reads
from palaver.bus.session import Session, draft
from palaver.log.file_watch import wait_until
from palaver.model.errors import NotFound, TimedOut
from palaver.model.limits import ROWS_DEFAULT
from palaver.model.message import STAGES
from palaver.model.names import BUS
from palaver.views.mail import inbox

_TERMINAL = ("withdrawn", "taken")


@operation(reads)
def wait_for_mail(
    session: Session, *, agent: Speaker = "", timeout: Seconds = 60.0, limit: Rows = ROWS_DEFAULT
) -> Listing:
    """Wait for mail and return it: unread mail, or what is offered again.

    Mail that was read and not acknowledged is offered again when the program of the agent was started again,
    or five minutes after it was read. An agent that is given mail was notified of it: that is an event, once
    for each message.
    """
    agent = session.speaker(agent)
    found: list[Listing] = []
    seen: list[str | None] = [None]
    next_offer: list[float] = [0.0]

    def look() -> bool:
        # First: what comes while we look is not seen yet.
        end = session.log.end()
        if end != seen[0] or time.monotonic() >= next_offer[0]:
            listing = list_offered(session, agent, limit=limit)
            seen[0] = None if listing.behind else end
            next_offer[0] = time.monotonic() + seconds_to_next_offer(session, agent)
            found.extend([listing] * bool(listing.mail))
        return bool(found)

    def ready() -> bool:
        session.check_caller()
        # A sender that wakes us has put its mail into the log. Any other news is in the files.
        if not look():
            session.sync.catch_up()
        return look()

    if not look():
        paths = session.wakeups.hang(session.view.roster().bells(agent))
        if not wait_until(ready, paths, timeout):
            raise TimedOut(f"no mail for {agent}", f"none came in {timeout:g} s", "wait again")
    session.check_caller()
    _notify(session, agent, found[0])
    return found[0]


def _notify(session: Session, agent: str, listing: Listing) -> None:
    fresh = [each.message for each in listing.mail if "notified" not in each.delivery.stages]
    if fresh:
        data: dict[str, object] = {
            "recipient": agent,
            "stage": "notified",
            "message_ids": [message.id for message in fresh],
            "chars": sum(len(message.body) for message in fresh),
        }
        session.log.append([draft("mail.delivered", BUS, data)])


@operation(reads)
def wait_for_stage(session: Session, message_id: MessageId, stage: Stage, *, timeout: Seconds = 60.0) -> None:
    """Wait until every recipient of a message has reached a stage."""
    row = inbox.found(session.view.current(), message_id)
    if row is None:
        session.view.insist()
        raise NotFound(f"no message {message_id}", "nothing in the log has that id", "")
    if not inbox.deliveries(session.view.current(), row.seq):
        why = "it reached no agent"
        raise NotFound(f"cannot wait for {message_id}", why, f"palaver resend {message_id} NAME")
    seen: list[str | None] = [None]
    late: list[str] = []

    def ready() -> bool:
        session.check_caller()
        session.sync.catch_up()
        end = session.log.end()
        if end != seen[0]:
            deliveries = inbox.deliveries(session.view.current(), row.seq)
            if not session.view.behind:
                seen[0] = end
            late[:] = [each.agent for each in deliveries if not _reached(each.stage, stage)]
        return not late

    if not session.log.wait_until(ready, timeout):
        raise TimedOut(
            f"{message_id} was not {stage} in {timeout:g} s",
            f"{', '.join(late)} has not reached it yet; the message stays sent",
            f"palaver thread {message_id} shows how far it is",
        )


def _reached(stage: str, wanted: str) -> bool:
    return stage in _TERMINAL or STAGES.index(stage) >= STAGES.index(wanted)
