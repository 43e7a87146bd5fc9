"""Unanswered mail: open messages that need action by their recipient, and undeliverable ones.

Queries and one index: the rows are those of the inbox. The index holds only the acts that need action, so a
million messages that only inform cost these queries nothing.
"""

from palaver.model.waits import WAITS
from palaver.views.fold import Fold
from palaver.views.mail import inbox
from palaver.views.query import Query

# The act that each act asks of its recipient. A nudge asks for nothing in particular.
WANTED = {act: kind.act for kind in WAITS for act in kind.asked_by if kind.name != "nudge"}
_WANTING = ", ".join(f"'{act}'" for act in sorted(WANTED))
_INDEXES = (f"create index message_wanting on message (seq) where act in ({_WANTING})",)
# How many messages to search for unanswered ones: older questions are history.
_LOOKS = 2_000
# How many events to search for undeliverable mail.
_NEAR = 2_000


class Unanswered(Fold):
    """Only an index: the rows are those of the inbox."""

    INDEXES = _INDEXES


def unanswered(db: Query, limit: int) -> list[tuple[int, int, list[str]]]:
    """Return (message, priority, agents that must act), the most urgent and then the oldest first."""
    rows = db.execute(
        "select m.seq, m.priority, (select group_concat(a.id, ' ') from delivery d "
        "join agent a on a.number = d.agent where d.message = m.seq and d.open = 1) as movers "
        "from (select seq, priority from message indexed by message_wanting "
        f"where act in ({_WANTING}) order by seq desc limit ?) m "
        "where movers is not null order by m.priority, m.seq limit ?",
        (_LOOKS, limit),
    )
    return [(seq, priority, sorted(movers.split())) for seq, priority, movers in rows]


def astray(db: Query, limit: int) -> list[tuple[int, str, str]]:
    """Return (message, address, why) of the newest undeliverable mail that was not resent since."""
    rows = db.execute(
        "select u.message, u.address, u.why from undelivered u join message m on m.seq = u.message "
        "where u.message > (select max(seq) from message) - ? "
        "and not exists (select 1 from delivery d where d.message = u.message) "
        "order by u.message desc limit ?",
        (_NEAR, limit),
    )
    return [row for row in rows if not _is_repeated(db, row[0])]


def held(db: Query) -> tuple[int, list[tuple[int, str]]]:
    """Return how much mail is held, and (message, agent) of the newest, unless it was resent since."""
    found = inbox.held(db)
    return len(found), [(seq, agent) for seq, _, agent in found[:1] if not _is_repeated(db, seq)]


def _is_repeated(db: Query, seq: int) -> bool:
    """Return True if the same text was sent again later."""
    rows = db.execute(
        "select 1 from message m, message r where m.seq = ? and r.seq > m.seq and r.gist = m.gist "
        "and r.subject = m.subject limit 1",
        (seq,),
    )
    return bool(rows)
