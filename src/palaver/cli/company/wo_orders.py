"""Work orders: tasks with the names of a VerMAS company, and the log as its events."""

from collections import Counter
from fnmatch import fnmatchcase

from palaver.bus.admin import event_history
from palaver.bus.session import Session
from palaver.bus.tasks import moves
from palaver.dialects.vermas.events import company_events
from palaver.dialects.vermas.work_orders import STATUSES, work_order
from palaver.model.limits import ROWS
from palaver.model.task import ENDED
from palaver.views.tasks.board import Card
from palaver.views.tasks.event_effects import effects_of

# A company does not see what the bus records about files, its own log and keys.
_INTERNAL = ("file.", "log.", "operation.")


def order(card: Card) -> dict[str, object]:
    """Return a work order, with the names of its schema."""
    return work_order(card.task, tuple(card.needs))


def count_orders(cards: list[Card]) -> dict[str, int]:
    """Return the number of work orders in each status."""
    counted = Counter(STATUSES.word(card.task.state) for card in cards)
    return {word: counted[word] for word in ("open", "assigned", "in_progress", "closed")}


def orders(
    session: Session, *, wanted: str = "", kind: str = "", priority: int = -1, ready: bool = False
) -> list[Card]:
    """Return the work orders that match; closed ones only if `wanted` is their status."""
    cards = moves.list_tasks(session, ready=ready)
    return [
        card
        for card in cards
        if (STATUSES.word(card.task.state) == wanted if wanted else card.task.state not in ENDED)
        and kind in ("", card.task.kind)
        and priority in (-1, card.task.priority)
    ]


def events(
    session: Session, *, wanted: str = "*", actor: str = "", task: str = "", limit: int = 50
) -> list[dict[str, object]]:
    """Return the newest events with the names of VerMAS, oldest first."""
    found: list[dict[str, object]] = []
    db = session.view.current()
    for event in event_history.latest(session, limit=ROWS, actor=actor):
        if event.event_type.startswith(_INTERNAL) and not wanted.startswith(_INTERNAL):
            continue
        for each in company_events(event, effects_of(db, event)):
            data = each["data"]
            about = data.get("work_order_id", "") if isinstance(data, dict) else ""
            if fnmatchcase(str(each["event_type"]), wanted) and task in ("", about):
                found.append(each)
    return found[-limit:]
