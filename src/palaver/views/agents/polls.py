"""Polls: how often each agent has looked. Some deadlines count polls instead of minutes."""

from palaver.model.event import Event, flag
from palaver.views.fold import Fold, on
from palaver.views.query import Query

#: After every event of a log.
LAST = 1 << 62
_TABLES = (
    "create table poll (seq integer primary key, agent text, lead integer)",
    "create index poll_agent on poll (agent, lead, seq)",
)


def since(db: Query, agent: str, seq: int, *, lead: bool = False) -> int:
    """Return how often an agent has looked since an event."""
    [(count,)] = db.execute(
        "select count(*) from poll where agent = ? and lead = ? and seq > ?", (agent, int(lead), seq)
    )
    return int(count)


def last(db: Query, agent: str, *, lead: bool = False, before: int = LAST) -> int:
    """Return the number of the event of an agent's last look, 0 if there was none."""
    [(seq,)] = db.execute(
        "select max(seq) from poll where agent = ? and lead = ? and seq < ?", (agent, int(lead), before)
    )
    return int(seq or 0)


class Polls(Fold):
    """How events add polls."""

    TABLES = _TABLES

    @on("agent.polled")
    def _polled(self, event: Event) -> None:
        row = (event.seq, event.actor.lower(), int(flag(event.data, "lead")))
        self._db.execute("insert or ignore into poll values (?, ?, ?)", row)
