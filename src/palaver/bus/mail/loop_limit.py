"""The limit of automatic mail: whether a message may be given to a program by itself, and who is told if not.

Whatever gives mail to a program without a person asks `find_hold`, and `claim` in the end; commands that send
never do. A message that is held stays unread in the inbox (docs/adr/0048, 0059).
"""

from typing import NamedTuple

from palaver.bus.mail.chains import find_chain
from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.operations import keys
from palaver.bus.session import Session, draft
from palaver.log.clock import now
from palaver.model.event import Draft, text
from palaver.model.limits import (
    LOOP_AGENT_STARTS,
    LOOP_HOPS,
    LOOP_PAIR_STARTS,
    LOOP_PROGRAMS,
    LOOP_RATE_SECONDS,
    LOOP_UNCERTAIN_SECONDS,
    WAIT_POLL_SECONDS,
)
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.views.agents.policy import Policy
from palaver.views.mail import inbox
from palaver.views.mail.automatic import Automatic, Chain, facts, was_given

#: What a program finds in the text, whatever else it says.
CODE = "loop-limit"


class Hold(NamedTuple):
    """Why mail is not given to a program, and for how many seconds; 0 if somebody must read it."""

    why: str
    seconds: float = 0.0
    #: Whether the agents and the leads are told: it is more than a short delay.
    is_told: bool = False
    #: The first message of the chain.
    origin: int = 0

    @property
    def is_for_good(self) -> bool:
        """Return True if no time ends it."""
        return not self.seconds


# Nobody needs to know more about it than it says.
_NOTICE = Hold("")


def hold_automatic(found: Automatic) -> Hold | None:
    """Decide whether mail may be given to a program; None if it may.

    Mail that no program sent is never held, and mail that may be by somebody else only waits.
    """
    origin, hops, is_uncertain = found.chain
    if not hops:
        return None
    if hops >= LOOP_HOPS:
        why = f"{hops} programs in a row were started by mail of programs (at most {LOOP_HOPS})"
        return Hold(why, is_told=True, origin=origin)
    if found.certain >= LOOP_PROGRAMS and not is_uncertain:
        why = f"one message has started {found.certain} programs (at most {LOOP_PROGRAMS})"
        return Hold(why, is_told=True, origin=origin)
    if is_uncertain and found.many_since < LOOP_UNCERTAIN_SECONDS:
        why = f"one message seems to have started {LOOP_PROGRAMS} programs within an hour"
        return Hold(why, LOOP_UNCERTAIN_SECONDS - found.many_since, is_told=True, origin=origin)
    for starts, most, what in (
        (found.by_sender, LOOP_PAIR_STARTS, "mail of one sender"),
        (found.starts, LOOP_AGENT_STARTS, "mail of programs"),
    ):
        if len(starts) >= most:
            seconds = LOOP_RATE_SECONDS - starts[most - 1]
            why = f"{what} has started {most} programs of the agent within a minute"
            return Hold(why, seconds, origin=origin)
    return None


def find_hold(session: Session, agent: str, message: Message) -> Hold | None:
    """Return why a message may not be given to a program of its recipient; None if it may."""
    if is_notice_of_limit(message):
        return _NOTICE
    chain = find_chain(session, message)
    return hold_automatic(facts(session.view.current(), agent, message, chain, now()))


def is_notice_of_limit(message: Message) -> bool:
    """Return True if a message of the bus tells that mail is held."""
    return message.sender == BUS and message.auth == "token" and message.meta.get("code") == CODE


def claim(session: Session, agent: str, message: Message, *, run: str) -> Hold | None:
    """Record that a message is given to a program, unless that is not allowed; return why.

    Programs that start at the same moment are counted one after the other: each has a number in its chain, as
    the key of its event.
    """
    if is_notice_of_limit(message):
        return _NOTICE
    for _ in range(LOOP_PROGRAMS):
        db, chain = session.view.current(), find_chain(session, message)
        found = facts(db, agent, message, chain, now())
        hold = hold_automatic(found)
        if hold is not None:
            return hold
        given = draft_injected(agent, message, chain, run=run)
        if chain.hops and not was_given(db, agent, message):
            given.key = f"program:{chain.origin}:{found.programs}"
        if keys.append(session, given).event_id == given.event_id:
            return None
    return Hold("many programs are being started", WAIT_POLL_SECONDS)


def draft_injected(agent: str, message: Message, chain: Chain, *, run: str) -> Draft:
    """Return the event that a message was given to a program of its recipient, and how it was caused."""
    data: dict[str, object] = {"recipient": agent, "stage": "injected", "message_ids": [message.id]}
    data |= {"run": run, "origin": chain.origin, "hops": chain.hops, "chars": len(message.body)}
    if chain.is_uncertain:
        data["uncertain"] = True
    return draft("mail.delivered", BUS, data)


def tell_hold(session: Session, agent: str, message: Message, hold: Hold) -> None:
    """Record that a message is held, and tell the agents and the leads.

    They are told once for a chain and an agent, however many of its messages are held: notices must not be a
    storm, too.
    """
    if hold.is_for_good:
        data: dict[str, object] = {"recipient": agent, "stage": "held", "message_ids": [message.id]}
        keys.append(session, draft("mail.delivered", BUS, data, key=f"held:{message.id}:{agent}"))
    roster = session.view.roster()
    leads = {*Policy(roster).leads(), text(roster.config, "person").lower()}
    live = {each.id for each in roster.live()}
    # The name that a program claims may be that of somebody who knows nothing of it.
    sender = text(message.inside, "agent").lower() or message.sender
    body = _words(session, agent, message, hold)
    for to, key in (
        (({agent, sender} - leads) & live, f"{CODE}:{hold.origin}:{agent}"),
        (leads & live, f"{CODE}:{hold.origin}"),
    ):
        if to:
            keys.append(session, _notice(message, sorted(to), body, key, hold))
            session.wakeups.ring(sorted(to))


def _words(session: Session, agent: str, message: Message, hold: Hold) -> str:
    first = inbox.at_seq(session.view.current(), hold.origin)
    began = f" It began with {first.id} from {first.sender}." if first else ""
    start = f"{message.id} from {message.sender} starts no program of {agent}"
    if not hold.is_for_good:
        return (
            f"{start} yet: {hold.why} [{CODE}].{began} "
            "Programs may be answering each other through files, in the names of others; such mail starts "
            f"at most {LOOP_PROGRAMS} programs in an hour. If that is not wanted, end one of the programs."
        )
    return (
        f"{start}: {hold.why} [{CODE}].{began} "
        f"It stays unread in the inbox of {agent}. To go on, send a new message yourself."
    )


def _notice(message: Message, to: list[str], body: str, key: str, hold: Hold) -> Draft:
    told = Message(
        sender=BUS,
        to=to,
        subject="Automatic mail was stopped" if hold.is_for_good else "Automatic mail is slowed down",
        body=body,
        meta={"code": CODE, "held": message.id},
        auth="token",
    )
    return mail_sent(told, key=key, caused_by=message.event_id)
