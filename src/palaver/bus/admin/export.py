"""Events for other programs: those that fit, oldest first, as CloudEvents."""

from collections.abc import Iterator

from palaver.bus.admin import event_history
from palaver.bus.admin.cloudevents import cloudevent
from palaver.bus.session import Session


def exported(
    session: Session, *, event_type: str = "", actor: str = "", after: int = 0
) -> Iterator[dict[str, object]]:
    """Yield every event that fits, as it stands now; `mail.*` fits every kind of mail."""
    source = f"/palaver/{session.root.path.split('/')[-2]}"
    family = event_type.removesuffix("*")
    for event in event_history.follow(session, after, timeout=0.0):
        fits = event.event_type == event_type or (
            family != event_type and event.event_type.startswith(family)
        )
        if (fits or not event_type) and actor in ("", event.actor):
            yield cloudevent(event, source)
