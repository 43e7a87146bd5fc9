"""Mail that was given to programs by itself: what started the program that is running, and how often.

Such a delivery is an event, stage `injected`. It says in which run, and how its message was caused: the first
message of the chain, the number of hops since, and whether that is only likely.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from palaver.log.clock import read
from palaver.model.event import Event, flag, number, text, texts
from palaver.model.limits import LOOP_LATE_SECONDS, LOOP_PROGRAMS, LOOP_RATE_SECONDS
from palaver.model.message import Message
from palaver.views.fold import Fold, on
from palaver.views.mail.inbox import Inbox
from palaver.views.query import Query, whole

_TABLES = (
    """create table mail_program (
        agent text, message integer, run text, seq integer, origin integer, hops integer, uncertain integer,
        sender text, at text, primary key (agent, message)) without rowid""",
)
_INDEXES = (
    "create index mail_program_origin on mail_program (origin, at)",
    "create index mail_program_seq on mail_program (seq)",
    "create index mail_program_at on mail_program (agent, at) where hops > 0",
)
# More starts than any limit of a rate.
_STARTS = 1_000
# Of the programs that mail was given to, so many of the last may be those that run.
_NEARBY = 100


class Chain(NamedTuple):
    """The first message of a chain, and how many programs passed it on to this one."""

    origin: int
    hops: int
    #: Whether a part of it is only likely: a line of a file came while a program of the chain was running.
    is_uncertain: bool = False

    def next(self) -> "Chain":
        """Return the chain of what a program sends that was given this mail."""
        return self._replace(hops=self.hops + 1)


class Automatic(NamedTuple):
    """What decides whether mail may be given to a program."""

    chain: Chain
    #: How many other programs the first message of the chain has started in all, and how many for certain.
    programs: int
    certain: int
    #: How many seconds ago the first of its newest programs was started, of as many as the limit allows.
    many_since: float
    #: How many seconds ago programs of the agent were started by mail of programs, the youngest first.
    starts: list[float]
    #: The same, only by mail of the sender.
    by_sender: list[float]


def facts(db: Query, agent: str, message: Message, chain: Chain, now: str) -> Automatic:
    """Return what decides whether a message may be given to a program of an agent now."""
    [(programs, certain)] = db.execute(
        "select count(*), count(*) filter (where uncertain = 0) from mail_program "
        "where origin = ? and not (agent = ? and message = ?)",
        (chain.origin, agent, message.seq),
    )
    nth = db.execute(
        "select at from mail_program where origin = ? and not (agent = ? and message = ?) "
        "order by at desc limit 1 offset ?",
        (chain.origin, agent, message.seq, LOOP_PROGRAMS - 1),
    )
    rows = db.execute(
        "select sender, at from mail_program indexed by mail_program_at "
        "where agent = ? and hops > 0 and message <> ? order by at desc limit ?",
        (agent, message.seq, _STARTS),
    )
    ages = [(by, age) for by, at in rows if 0 <= (age := _seconds(at, now)) < LOOP_RATE_SECONDS]
    return Automatic(
        chain,
        programs=whole(programs),
        certain=whole(certain),
        many_since=max(0.0, _seconds(nth[0][0], now)) if nth else inf,
        starts=[age for _, age in ages],
        by_sender=[age for by, age in ages if by == message.sender],
    )


def was_given(db: Query, agent: str, message: Message) -> bool:
    """Return True if a message was given to a program of an agent before."""
    where = "where agent = ? and message = ?"
    return bool(db.execute(f"select 1 from mail_program {where}", (agent, message.seq)))


def chain_in_run(db: Query, agent: str, run: str, seq: int) -> Chain | None:
    """Return the chain of what a program of an agent says in a run; None if no mail caused it."""
    rows = db.execute(
        "select run, seq, message, outer_run from run where run = ? and agent = ? and seq < ? "
        "order by seq desc limit 1",
        (run, agent, seq),
    )
    return _chain_after(db, agent, rows[0], seq) if rows else None


def chain_of_agent(db: Query, agent: str, seq: int, at: str) -> Chain | None:
    """Return the chain of an event that names no run, if it is by the program that its agent ran last.

    That is so if the program was running, or had ended less than a minute before.
    """
    rows = db.execute(
        "select run, seq, message, outer_run, ended from run indexed by run_of_agent "
        "where agent = ? and seq < ? order by seq desc limit 1",
        (agent, seq),
    )
    for *program, ended in rows:
        if not ended or _seconds(ended, at) < LOOP_LATE_SECONDS:
            return _chain_after(db, agent, program, seq)
    return None


def chain_nearby(db: Query, seq: int, at: str) -> Chain | None:
    """Return the chain of the program that mail was given to last; None if none was running at that time.

    One that had ended less than a minute before counts, too.
    """
    rows = db.execute(
        "select p.origin, (select r.ended from run r where r.run = p.run and r.agent = p.agent and r.seq < ? "
        "order by r.seq desc limit 1) from mail_program p where p.seq < ? order by p.seq desc limit ?",
        (seq, seq, _NEARBY),
    )
    for origin, ended in rows:
        if ended == "" or (ended and _seconds(ended, at) < LOOP_LATE_SECONDS):
            return Chain(whole(origin), 1, is_uncertain=True)
    return None


def _chain_after(db: Query, agent: str, program: Sequence[object], seq: int) -> Chain | None:
    """Return the chain after the mail that a program was given last: it was started for it, or was fed it.

    What it was not given itself, the program may have been given that has started it.
    """
    run, start, message, outer = program
    rows = db.execute(
        "select origin, hops, uncertain from mail_program where agent = ? and "
        "(message = (select seq from message where id = ?) or (run = ? and seq > ? and seq < ?)) "
        "order by seq desc limit 1",
        (agent, message, run, start, seq),
    )
    if rows:
        return Chain(whole(rows[0][0]), whole(rows[0][1]), rows[0][2] == 1).next()
    return chain_in_run(db, agent, str(outer), whole(start)) if outer else None


def _seconds(since: str, until: str) -> float:
    """Return the seconds between two times; -1 if one of them is none."""
    try:
        return read(until) - read(since)
    except (ValueError, OverflowError):
        return -1.0


class MailPrograms(Fold):
    """How events change the table."""

    TABLES = _TABLES
    INDEXES = _INDEXES

    @on("mail.delivered")
    def _given(self, event: Event) -> None:
        """Record that mail was given to a program of its recipient."""
        data = event.data
        agent, run = text(data, "recipient").lower(), text(data, "run")
        if text(data, "stage") != "injected" or not run:
            return
        self._folds.get(Inbox).flush()
        for message_id in texts(data, "message_ids"):
            rows = self._db.execute("select seq, sender from message where id = ?", (message_id,)).fetchall()
            for seq, sender in rows:
                self._db.execute(
                    "insert or replace into mail_program values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (agent, seq, run, event.seq, number(data, "origin") or seq, number(data, "hops"),
                     int(flag(data, "uncertain")), sender, event.timestamp),
                )  # fmt: skip
