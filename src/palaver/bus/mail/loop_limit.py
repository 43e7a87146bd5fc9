"""The limit of automatic mail: whether a message may be given to a program by itself, and who is told if not.

Whatever gives mail to a program without a person asks `find_hold`; commands that send never do. A message
that is held stays unread in the inbox.

What caused a message follows from the log: each event of a process inside a run names the run
(docs/adr/0045), so a program cannot hide its cause by a claimed name. A line of a file names no run, and
neither does a process that has dropped its token: it counts as sent by the last program of its sender.
"""

from typing import NamedTuple

from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.operations import keys
from palaver.bus.session import Session, draft
from palaver.log.clock import now
from palaver.model.event import Draft, Event, text
from palaver.model.limits import (
    LOOP_AGENT_STARTS,
    LOOP_HOPS,
    LOOP_PAIR_STARTS,
    LOOP_PROGRAMS,
    LOOP_RATE_SECONDS,
)
from palaver.model.message import Message, from_event
from palaver.model.names import BUS
from palaver.views.agents.policy import Policy
from palaver.views.mail import inbox
from palaver.views.mail.automatic import Automatic, Chain, chain_in_run, chain_of_agent, facts

#: What a program finds in the text, whatever else it says.
CODE = "loop-limit"


class Hold(NamedTuple):
    """Why mail is not given to a program, and for how many seconds; 0 if somebody must read it."""

    why: str
    seconds: float = 0.0


def hold_automatic(found: Automatic) -> Hold | None:
    """Decide whether mail may be given to a program; None if it may.

    Mail that no program sent is never held.
    """
    hops = found.chain.hops
    if not hops:
        return None
    if hops >= LOOP_HOPS:
        return Hold(f"programs have answered each other {hops} times (at most {LOOP_HOPS})")
    if found.programs >= LOOP_PROGRAMS:
        return Hold(f"one message has started {found.programs} programs (at most {LOOP_PROGRAMS})")
    for starts, most, what in (
        (found.by_sender, LOOP_PAIR_STARTS, "by mail of one sender"),
        (found.starts, LOOP_AGENT_STARTS, "by mail of programs"),
    ):
        if len(starts) >= most:
            seconds = LOOP_RATE_SECONDS - starts[most - 1]
            return Hold(f"{most} programs of the agent were started {what} within a minute", seconds)
    return None


def find_hold(session: Session, agent: str, message: Message) -> Hold | None:
    """Return why a message may not be given to a program of its recipient; None if it may."""
    chain = find_chain(session, message)
    return hold_automatic(facts(session.view.current(), agent, message, chain, now()))


def find_chain(session: Session, message: Message) -> Chain:
    """Return how a message was caused; one that no program sent begins a chain."""
    db = session.view.current()
    agent, run = text(message.inside, "agent").lower(), text(message.inside, "run")
    if run:
        return chain_in_run(db, agent, run, message.seq) or Chain(message.seq, 0)
    event = session.log.event(message.seq)
    found: Chain | None = None
    if event is not None and event.actor == BUS:
        found = _chain_of_notice(session, event)
    elif event is not None and message.auth != "token":
        # When it was recorded: a line of a file may bring any time. With proof, it is by the person.
        found = chain_of_agent(db, message.sender, message.seq, event.timestamp)
    return found or Chain(message.seq, 0)


def _chain_of_notice(session: Session, event: Event) -> Chain | None:
    """Return the chain of a message of the bus: it continues that of the message that caused it."""
    # A message and its event have the same letters.
    row = inbox.found(session.view.current(), "msg-" + event.caused_by.removeprefix("evt-"))
    cause = session.said(row) if row is not None and row.seq < event.seq else None
    if cause is None or cause.actor == BUS:
        return None
    chain = find_chain(session, from_event(cause))
    return Chain(chain.origin, chain.hops + 1) if chain.hops else None


def draft_injected(session: Session, agent: str, message: Message, *, run: str) -> Draft:
    """Return the event that a message was given to a program of its recipient, and how it was caused."""
    chain = find_chain(session, message)
    data: dict[str, object] = {"recipient": agent, "stage": "injected", "message_ids": [message.id]}
    data |= {"run": run, "origin": chain.origin, "hops": chain.hops, "chars": len(message.body)}
    return draft("mail.delivered", BUS, data)


def tell_hold(session: Session, agent: str, message: Message, hold: Hold) -> None:
    """Tell the agents and the leads that a message is held.

    Once for a chain and an agent, however many of its messages are held: notices must not be a storm, too.
    """
    if message.meta.get("code") == CODE:
        # It is such a notice itself.
        return
    origin = find_chain(session, message).origin
    first = inbox.at_seq(session.view.current(), origin)
    began = f" It began with {first.id} from {first.sender}." if first else ""
    roster = session.view.roster()
    leads = {*Policy(roster).leads(), text(roster.config, "person").lower()}
    live = {each.id for each in roster.live()}
    body = (
        f"{message.id} from {message.sender} starts no program of {agent}: {hold.why} [{CODE}].{began} "
        f"It is unread in the inbox of {agent}. A new message that no program sends starts programs again."
    )
    for to, key in (
        (({agent, message.sender} - leads) & live, f"{CODE}:{origin}:{agent}"),
        (leads & live, f"{CODE}:{origin}"),
    ):
        if to:
            keys.append(session, _notice(message, sorted(to), body, key))
            session.wakeups.ring(sorted(to))


def _notice(message: Message, to: list[str], body: str, key: str) -> Draft:
    told = Message(
        sender=BUS,
        to=to,
        subject="Automatic mail was stopped",
        body=body,
        meta={"code": CODE, "held": message.id},
        auth="token",
    )
    # Caused by the message that is held: it cannot start a program either.
    return mail_sent(told, key=key, caused_by=message.event_id)
