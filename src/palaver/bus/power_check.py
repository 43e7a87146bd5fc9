"""The check of an act with power before anything is written; the folds make the same check afterwards."""

from palaver.bus.config.config_events import apply
from palaver.bus.session import Session
from palaver.model.errors import NotPermitted
from palaver.model.event import Event
from palaver.model.message import Message
from palaver.views.agents.policy import Policy
from palaver.views.agents.power import ON_AGENTS, ON_TASKS, POWERS, UNKNOWN_HERE, UNPROVED


def require(
    session: Session, act: str, *, by: str, over: str = "", data: dict[str, object] | None = None
) -> None:
    """Refuse an act on an agent or on the settings of all, if it would have no effect in this name.

    `data` is what its event would have, where that decides who may do it.
    """
    apply(session)
    session.view.current()
    event = Event({"actor": by, "auth": session.proof(by), "inside": session.inside, "data": data or {}})
    if why := Policy(session.view.roster()).may(act, event, over):
        raise refusal(act, why, by)


def require_for_message(session: Session, policy: Policy, message: Message) -> None:
    """Refuse a message whose act has power, if it would have no effect in the name of its sender."""
    if message.act not in ON_AGENTS and not (message.task and message.act in ON_TASKS):
        return
    if why := policy.powerless(message.act, as_event(session, message)):
        raise refusal(message.act, why, message.sender)


def as_event(session: Session, message: Message) -> Event:
    """Return the event that a message would be, as the folds judge it."""
    actor = {"actor": message.sender, "auth": message.auth}
    return Event({**actor, "inside": session.inside, "data": message.fields()})


def refusal(act: str, why: str, by: str) -> NotPermitted:
    """Return the refusal of an act without power, with the way out."""
    way_out = "ask an agent that leads"
    if why == UNPROVED:
        elsewhere = "edit .palaver/config.toml" if act in ("list", "mount") else "use the dashboard"
        way_out = f"do it inside a run of {by or 'an agent'}, or {elsewhere}"
    elif why == UNKNOWN_HERE:
        way_out = "do it in a run of this bus, or ask the user"
    elif by and why.endswith(f"in the name of {by}"):
        way_out = f"do it in your own name, or ask {by}"
    return NotPermitted(f"cannot {POWERS[act].about}", why, way_out)
