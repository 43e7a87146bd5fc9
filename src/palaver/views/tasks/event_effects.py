"""What an event did: the agents that a message reached, and the move of a task."""

from palaver.model.board_files import BoardMove, EventEffects
from palaver.model.event import Event, texts
from palaver.views.mail import inbox
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import MoveAttempt


def effects_of(db: Query, event: Event) -> EventEffects:
    """Return what an event did, as the view has it."""
    is_mail = event.event_type == "mail.sent"
    tried = board.attempt(db, event.seq)
    return EventEffects(
        delivered=tuple(each.agent for each in inbox.deliveries(db, event.seq)) if is_mail else (),
        move=board_move(tried, _receiver(tried, event)) if tried else None,
    )


def board_move(tried: MoveAttempt, agent: str = "") -> BoardMove:
    """Return a move as the files of a board show it; `agent` got the task by it."""
    return BoardMove(
        at=tried.at,
        actor=tried.actor,
        act=tried.act,
        task=tried.task,
        why=tried.why,
        gist=tried.gist,
        before=tried.before,
        after=tried.after,
        agent=agent,
    )


def _receiver(tried: MoveAttempt, event: Event) -> str:
    """Return the agent that got a task by a move, empty if none did."""
    if tried.after in ("assigned", "handed"):
        return next(iter(texts(event.data, "to")), "")
    return tried.actor if tried.before == "open" != tried.after else ""
