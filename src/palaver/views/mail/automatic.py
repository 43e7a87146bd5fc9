"""Mail that was given to programs by itself: what started the program that is running, and how often.

Such a delivery is an event, stage `injected`. It says in which run, and how its message was caused: the first
message of the chain, and the number of hops since.
"""

from collections.abc import Sequence
from typing import NamedTuple

from palaver.log.clock import read
from palaver.model.event import Event, number, text, texts
from palaver.model.limits import LOOP_LATE_SECONDS, LOOP_RATE_SECONDS
from palaver.model.message import Message
from palaver.views.fold import Fold, on
from palaver.views.mail.inbox import Inbox
from palaver.views.query import Query, whole

_TABLES = (
    """create table mail_program (
        agent text, message integer, run text, seq integer, origin integer, hops integer, sender text,
        at text, primary key (agent, message)) without rowid""",
)
_INDEXES = (
    "create index mail_program_origin on mail_program (origin)",
    "create index mail_program_at on mail_program (agent, at) where hops > 0",
)
# More starts than any limit of a rate.
_STARTS = 1_000


class Chain(NamedTuple):
    """The first message of a chain, and how many programs passed it on to this one."""

    origin: int
    hops: int


class Automatic(NamedTuple):
    """What decides whether mail may be given to a program."""

    chain: Chain
    #: How many other programs the first message of the chain has started in all.
    programs: int
    #: How many seconds ago programs of the agent were started by mail of programs, the youngest first.
    starts: list[float]
    #: The same, only by mail of the sender.
    by_sender: list[float]


def facts(db: Query, agent: str, message: Message, chain: Chain, now: str) -> Automatic:
    """Return what decides whether a message may be given to a program of an agent now."""
    [(programs,)] = db.execute(
        "select count(*) from mail_program where origin = ? and not (agent = ? and message = ?)",
        (chain.origin, agent, message.seq),
    )
    rows = db.execute(
        "select sender, at from mail_program indexed by mail_program_at "
        "where agent = ? and hops > 0 and message <> ? order by at desc limit ?",
        (agent, message.seq, _STARTS),
    )
    ages = [(by, age) for by, at in rows if 0 <= (age := _seconds(at, now)) < LOOP_RATE_SECONDS]
    starts = [age for _, age in ages]
    return Automatic(chain, whole(programs), starts, [age for by, age in ages if by == message.sender])


def chain_in_run(db: Query, agent: str, run: str, seq: int) -> Chain | None:
    """Return the chain of what a program of an agent says in a run; None if no mail caused it."""
    rows = db.execute(
        "select run, seq, message from run where run = ? and agent = ? and seq < ? order by seq desc limit 1",
        (run, agent, seq),
    )
    return _chain_after(db, agent, rows[0], seq) if rows else None


def chain_of_agent(db: Query, agent: str, seq: int, at: str) -> Chain | None:
    """Return the chain of an event that names no run, if it is by the program that its agent ran last.

    That is so if the program was running, or had ended less than a minute before.
    """
    rows = db.execute(
        "select run, seq, message, ended from run indexed by run_of_agent "
        "where agent = ? and seq < ? order by seq desc limit 1",
        (agent, seq),
    )
    for *program, ended in rows:
        if not ended or _seconds(ended, at) < LOOP_LATE_SECONDS:
            return _chain_after(db, agent, program, seq)
    return None


def _chain_after(db: Query, agent: str, program: Sequence[object], seq: int) -> Chain | None:
    """Return the chain after the mail that a program was given last: it was started for it, or was fed it."""
    run, start, message = program
    rows = db.execute(
        "select origin, hops from mail_program where agent = ? and "
        "(message = (select seq from message where id = ?) or (run = ? and seq > ? and seq < ?)) "
        "order by seq desc limit 1",
        (agent, message, run, start, seq),
    )
    return Chain(whole(rows[0][0]), whole(rows[0][1]) + 1) if rows else None


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
                    "insert or replace into mail_program values (?, ?, ?, ?, ?, ?, ?, ?)",
                    (agent, seq, run, event.seq, number(data, "origin") or seq, number(data, "hops"), sender,
                     event.timestamp),
                )  # fmt: skip
