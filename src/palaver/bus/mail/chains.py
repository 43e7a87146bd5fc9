"""The chain of a message: which message began it, and how many programs have passed it on since.

What caused a message follows from the log: each event of a process inside a run names the run
(docs/adr/0045), so a program cannot hide its cause by a claimed name. What names no run counts by its
sender: as sent by the last program of that agent. A line of a file whose sender had none, and mail of a run
of another bus, is uncertain: it may be by any program that is running (docs/adr/0059).
"""

from palaver.bus.session import Session
from palaver.model.event import Event, number, text
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.views.fold import sender_of
from palaver.views.mail import inbox
from palaver.views.mail.automatic import Chain, chain_in_run, chain_nearby, chain_of_agent


def find_chain(session: Session, message: Message) -> Chain:
    """Return how a message was caused; one that no program sent begins a chain."""
    about = event = session.log.event(message.seq)
    while about is not None and _is_notice(about):
        # A notice of the bus belongs to the chain of what it is about.
        about = _cause(session, about)
    if about is None:
        return Chain(message.seq, 0)
    # Bytes that nobody could read have no sender, but an author who is told.
    author = text(about.data, "author") if about.actor == BUS else sender_of(about)
    chain = _chain_of(session, about, author.lower())
    if chain is None:
        return Chain(message.seq, 0)
    return chain if about is event else chain.next()


def _is_notice(event: Event) -> bool:
    return event.event_type == "mail.sent" and event.actor == BUS


def _cause(session: Session, notice: Event) -> Event | None:
    """Return the event that a message of the bus is about; it is earlier."""
    seq = number(notice.data, "about")
    if not seq:
        # A message of a command and its event have the same letters.
        row = inbox.found(session.view.current(), "msg-" + notice.caused_by.removeprefix("evt-"))
        seq = row.seq if row is not None else 0
    return session.log.event(seq) if seq < notice.seq else None


def _chain_of(session: Session, event: Event, author: str) -> Chain | None:
    """Return the chain of what an agent or a file said; None if no program sent it."""
    db = session.view.current()
    inside = event.inside or {}
    if run := text(inside, "run"):
        return chain_in_run(db, text(inside, "agent").lower(), run, event.seq)
    if text(inside, "token"):
        hops = number(inside, "hops")
        near = None if hops else chain_nearby(db, event.seq, event.timestamp)
        return near or Chain(event.seq, max(1, hops), is_uncertain=not hops)
    if event.auth == "token" and event.actor != BUS:
        # By the person: no program has its proof.
        return None
    # When it was recorded: a line of a file may bring any time.
    found = chain_of_agent(db, author, event.seq, event.timestamp)
    return found or (chain_nearby(db, event.seq, event.timestamp) if event.src is not None else None)
