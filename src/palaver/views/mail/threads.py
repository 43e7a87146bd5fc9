"""Threads, newest first, and the open mail of an agent: queries over the rows of the inbox.

Every query is bounded: none of them counts all mail, however much there is.
"""

from dataclasses import dataclass

from palaver.views.mail.inbox import MessageRow, at_seq
from palaver.views.query import Query, whole

# How many messages one page of threads covers.
_WINDOW = 2_000
# An agent with more open mail than this has "many".
MANY = 100
# Names of a thread that a list shows.
_VOICES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A conversation, as a list shows it."""

    thread: str
    first: MessageRow
    last: MessageRow
    count: int
    #: The agents that take part in it.
    voices: list[str]

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "thread": self.thread,
            "id": self.first.id,
            "subject": self.first.subject or self.first.gist,
            "from": self.first.sender,
            "at": self.first.at,
            "count": self.count,
            "voices": self.voices,
            "last": glance(self.last),
        }


def glance(row: MessageRow) -> dict[str, object]:
    """Return the fields of a message that a list shows."""
    names = ("id", "seq", "sender", "act", "priority", "subject", "gist", "thread", "task", "at")
    return {"from" if name == "sender" else name: getattr(row, name) for name in names}


def threads(db: Query, *, before: int, limit: int) -> tuple[list[Thread], int]:
    """Return the threads that end before an event, and where the next page starts (0: no more)."""
    rows = db.execute(
        "select thread, max(seq), min(seq) from (select thread, seq from message where seq < ? "
        "order by seq desc limit ?) group by thread order by 2 desc",
        (before, _WINDOW),
    )
    found: list[Thread] = []
    for thread, last, _ in rows:
        if len(found) == limit:
            return found, found[-1].last.seq
        # A thread is listed once, at its newest message.
        if db.execute("select 1 from message where thread = ? and seq >= ? limit 1", (thread, before)):
            continue
        told = _thread(db, str(thread), whole(last))
        if told is not None:
            found.append(told)
    lowest = min((whole(low) for _, _, low in rows), default=0)
    more = lowest and db.execute("select 1 from message where seq < ? limit 1", (lowest,))
    return found, lowest if more else 0


def _thread(db: Query, thread: str, last: int) -> Thread | None:
    [(count, first)] = db.execute("select count(*), min(seq) from message where thread = ?", (thread,))
    voices = db.execute(
        "select sender, min(seq) from "
        "(select sender, seq from message where thread = ? order by seq limit ?) "
        "group by sender order by 2 limit ?",
        (thread, MANY, _VOICES),
    )
    opening, closing = at_seq(db, whole(first)), at_seq(db, last)
    if opening is None or closing is None:
        return None
    names = [str(voice) for voice, _ in voices]
    return Thread(thread=thread, first=opening, last=closing, count=whole(count), voices=names)


def waiting(db: Query, agent: int) -> tuple[int, int, int]:
    """Return the counts of open and unread mail of an agent (up to `MANY`), and its first unread message."""
    [(waiting, unread, first)] = db.execute(
        "select count(*), count(*) - count(read), min(case when read is null then message end) from "
        "(select message, read from delivery where agent = ? and open = 1 and priority >= 0 "
        "order by priority, message limit ?)",
        (agent, MANY),
    )
    return whole(waiting), whole(unread), whole(first)
