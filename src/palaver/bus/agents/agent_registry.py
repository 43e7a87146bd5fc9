"""Who there is: agents and distribution lists."""

from palaver.bus.config.config_events import apply
from palaver.bus.mail.message_check import encodable, harmless
from palaver.bus.operations import keys
from palaver.bus.session import Session, draft
from palaver.model.errors import BadArguments, NotFound, StorageFailed
from palaver.model.limits import LEVELS, LOCK_SECONDS
from palaver.model.names import BUS, address, name
from palaver.views.agents.roster import Agent, Roster


def roster(session: Session) -> Roster:
    """Return the roster as it is now."""
    apply(session)
    session.view.current()
    return session.view.roster()


def agents(session: Session, *, retired: bool = False) -> list[Agent]:
    """Return the agents, by name."""
    known = roster(session).agents.values()
    return sorted((agent for agent in known if retired or not agent.retired), key=lambda agent: agent.id)


def add_agent(
    session: Session,
    agent: str,
    *,
    by: str = BUS,
    handle: str = "",
    role: str = "",
    about: str = "",
    level: int = 0,
    home: str = "",
    key: str = "",
) -> Agent:
    """Register an agent, or bring back one that was retired; `home` is a mount where it lives."""
    agent_id = name(agent)
    data: dict[str, object] = {"agent": agent}
    if handle:
        data["handle"] = address(handle).lstrip("@")
    if role:
        data["role"] = name(role)
    if level:
        if not 0 < level <= LEVELS:
            raise BadArguments(
                f"cannot use the level {level}", f"it goes from 1 to {LEVELS}", "use --level 3"
            )
        data["level"] = level
    if home:
        data["mount"] = home
    if about:
        encodable(about)
        harmless(about)
        data["about"] = about
    keys.append(session, draft("agent.registered", by, data, key=key))
    return _settled(session, agent_id)


def retire_agent(session: Session, agent: str, *, by: str = BUS, reason: str = "", key: str = "") -> Agent:
    """Let an agent go: mail to it is undeliverable from now on, what it said stays."""
    encodable(reason)
    harmless(reason)
    found = find_agent(session, agent)
    agent_id = found.id
    if not found.retired:
        # First: if this process dies now, no sender still finds the agent in the roster cache.
        session.view.withhold()
        data: dict[str, object] = {"agent": agent_id, "reason": reason}
        keys.append(session, draft("agent.retired", by, data, key=key))
    return _settled(session, agent_id)


def find_agent(session: Session, agent: str) -> Agent:
    """Return an agent, or refuse with names that look like it."""
    agent_id = name(agent)
    known = roster(session)
    if agent_id not in known.agents:
        session.view.insist()
        close = known.nearest(agent_id)
        hint = f"did you mean {' or '.join(close)}?" if close else "palaver agents lists them"
        raise NotFound(f"no agent {agent_id}", "nobody has that name", hint)
    return known.agents[agent_id]


def _settled(session: Session, agent_id: str) -> Agent:
    """Return an agent once its change counts everywhere; senders must not believe the old roster."""
    apply(session)
    session.view.current(LOCK_SECONDS)
    session.view.insist()
    found = session.view.roster().agents.get(agent_id)
    if found is None:
        raise StorageFailed(f"cannot add {agent_id}", "the log was replaced meanwhile", "do it again")
    return found


def lists(session: Session) -> dict[str, list[str]]:
    """Return the distribution lists and their members, as they are written."""
    return dict(sorted(roster(session).lists.items()))


def members(session: Session, listed: str) -> list[str]:
    """Return the agents that mail to a list reaches now."""
    return roster(session).meaning(listed).agents
