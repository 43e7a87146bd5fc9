"""The overview: every agent at a glance, what is unanswered and who must act, and the newest messages.

Bounded, whatever the size of the log: counts end at "many", lists have a length.
"""

from collections.abc import Collection
from typing import Annotated

from msgspec import Meta

from palaver.bus.agents.unanswered_items import unanswered_items
from palaver.bus.operations.fields import Events
from palaver.bus.operations.operation import inspects, operation
from palaver.bus.operations.request import PYTHON_ONLY
from palaver.bus.session import Session
from palaver.bus.tasks import board_view
from palaver.model.event import text, texts
from palaver.model.limits import CARDS, IDS_TOUCHED, RECENT
from palaver.views.agents.roster import Agent
from palaver.views.files.findings import masked
from palaver.views.mail import inbox, threads
from palaver.views.mail.threads import MANY, glance
from palaver.views.query import Query

# How many findings about masked secrets are shown.
_MASKED = 5

Only = Annotated[Collection[str] | None, Meta(description="only these agents", extra={PYTHON_ONLY: 1})]


@operation(inspects)
def picture(session: Session, *, only: Only = None) -> dict[str, object]:
    """Return the overview: every agent, what is unanswered, and the newest messages."""
    db = session.view.current()
    with session.view.held():
        seq = db.seq
        roster = session.view.roster()
        agents = [agent for agent in roster.agents.values() if not agent.retired]
        # The agent that spoke last comes first; of more agents than cards, the long silent ones are left out.
        agents.sort(key=lambda agent: (-agent.seq, agent.id))
        shown = [agent for agent in agents[:CARDS] if only is None or agent.id in only]
        told: dict[str, object] = {
            "seq": seq,
            "agents": [
                {**card(db, agent), **board_view.at_work(db, agent, roster.mounts)} for agent in shown
            ],
            "agents_total": len(agents),
            **unanswered_items(session, db),
        }
        if only is None:
            told["recent"] = [glance(row) for row in inbox.newest(db, before=seq + 1, limit=RECENT)]
            told["masked"] = masked(db, _MASKED)
    told["behind"] = session.view.behind
    return told


@operation(inspects)
def touched(session: Session, events: Events) -> set[str]:
    """Return the agents whose cards some events may have changed."""
    db = session.view.current()
    names: set[str] = set()
    for event in events:
        names.add(event.actor)
        ids = [*texts(event.data, "message_ids"), *texts(event.data, "message_id")]
        # Of very many messages the first are enough; the rest is counted when the card is opened.
        for message_id in [*ids, text(event.data, "reply_to")][:IDS_TOUCHED]:
            row = inbox.found(db, message_id) if message_id else None
            if row is not None:
                names.update(each.agent for each in inbox.deliveries(db, row.seq))
    return names


def card(db: Query, agent: Agent) -> dict[str, object]:
    """Return an agent at a glance."""
    opened, unread, oldest = threads.waiting(db, agent.number)
    last = inbox.at_seq(db, agent.seq) if agent.sent else None
    first = inbox.at_seq(db, oldest) if oldest else None
    return {
        **agent.plain(),
        "open": opened,
        "unread": unread,
        "many": opened == MANY,
        "waits_since": first.at if first else "",
        "last": glance(last) if last else None,
        "health": _health(agent, last.act if last else "", unread),
    }


def _health(agent: Agent, act: str, unread: int) -> str:
    """Return how an agent is, as far as its mail tells."""
    if act in ("block", "escalate"):
        return "blocked"
    if act == "leave":
        return "gone"
    if unread:
        return "mail"
    return "clear" if agent.sent else "silent"
